package web

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
)

// maxOfError is how many bytes of an error page are shown.
const maxOfError = 4 << 10

// page is the response of a server.
type page struct {
	address     *url.URL // after redirects
	status      int
	contentType string
	length      int64 // according to the server; -1 if it does not say
	body        []byte
	cutAt       int64 // where the body was cut; 0 if it is whole
}

// failed reports whether the status is an error.
func (p *page) failed() bool { return p.status < 200 || p.status > 299 }

// note returns what the text does not say: an error status, another address, that the page
// was cut.
func (p *page) note(requested string) string {
	var notes []string
	if p.failed() {
		notes = append(notes, strings.TrimSpace(fmt.Sprintf("HTTP %d %s", p.status, http.StatusText(p.status))))
	}
	if p.address.String() != requested {
		notes = append(notes, "the page is "+p.address.String())
	}
	if p.cutAt > 0 && !p.failed() {
		notes = append(notes, fmt.Sprintf("the page is longer than %d bytes; the rest was not read", p.cutAt))
	}
	return strings.Join(notes, "; ")
}

// write writes the page in a form that a model can read.
func (p *page) write(ctx context.Context, out io.Writer, format string) error {
	mediaType := p.mediaType()
	if !readable(mediaType) {
		if p.failed() {
			return nil // the status is in the note
		}
		return fmt.Errorf("%s: the page is %s (%s), which is no text", p.address, mediaType, p.size())
	}
	text := p.text(mediaType)
	if isHTML(mediaType) && format != asHTML {
		converted, err := convert(ctx, text, p.address, format)
		if err != nil {
			return fmt.Errorf("%s: %w (format html gives the page as it is)", p.address, err)
		}
		text = converted
	}
	_, err := out.Write(bytes.TrimRight(text, "\n"))
	return err
}

// mediaType returns the type without its parameters, or a guess if there is none.
func (p *page) mediaType() string {
	given := p.contentType
	if given == "" {
		given = http.DetectContentType(p.body)
	}
	mediaType, _, err := mime.ParseMediaType(given)
	if err != nil {
		mediaType, _, _ = strings.Cut(given, ";")
		mediaType = strings.ToLower(strings.TrimSpace(mediaType))
	}
	return mediaType
}

// size returns the length of the page, as far as it is known.
func (p *page) size() string {
	switch {
	case p.length >= 0:
		return fmt.Sprintf("%d bytes", p.length)
	case p.cutAt > 0:
		return fmt.Sprintf("more than %d bytes", p.cutAt)
	}
	return fmt.Sprintf("%d bytes", len(p.body))
}

func isHTML(mediaType string) bool {
	return mediaType == "text/html" || mediaType == "application/xhtml+xml"
}

func isJSON(mediaType string) bool {
	return mediaType == "application/json" || strings.HasSuffix(mediaType, "+json")
}

// readable reports whether a type is text.
func readable(mediaType string) bool {
	if strings.HasPrefix(mediaType, "text/") || isHTML(mediaType) || isJSON(mediaType) || strings.HasSuffix(mediaType, "+xml") {
		return mediaType != "image/svg+xml"
	}
	switch mediaType {
	case "application/xml", "application/javascript", "application/ecmascript", "application/yaml", "application/x-yaml",
		"application/toml", "application/x-ndjson", "application/jsonl", "application/sql", "application/x-sh":
		return true
	}
	return false
}
