package wire

import (
	"mime"
	"net/http"
	"strings"
)

func isHTML(header http.Header) bool {
	media, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	return media == "text/html" || media == "application/xhtml+xml"
}

func isJSON(header http.Header) bool {
	media, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	return media == "application/json" || strings.HasSuffix(media, "+json")
}

func isLines(header http.Header) bool {
	media, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	return media == "application/x-ndjson" || media == "application/jsonl"
}
