package wire

import (
	"mime"
	"net/http"
)

// mediaOf returns the media type of a body, without parameters.
func mediaOf(header http.Header) string {
	media, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	return media
}
