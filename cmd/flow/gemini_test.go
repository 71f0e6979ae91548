package main

import (
	"fmt"
	"io"
	"net/http"

	"github.com/a-seed-11b9befa/flow/providers/providertest"
)

// A geminiService speaks Google's generateContent, as strictly as Gemini 3. Its
// model thinks, reads the file note.txt, and says what is in it.
type geminiService struct{ dialect providertest.Google }

// ServeHTTP answers one request.
func (s *geminiService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	refuse := func(status int, word, message string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"error":{"code":%d,"status":%q,"message":%q}}`, status, word, message)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		refuse(http.StatusBadRequest, "INVALID_ARGUMENT", err.Error())
		return
	}
	asked, err := s.dialect.Read(body)
	if err == nil {
		err = s.dialect.Locate(r.URL, &asked)
	}
	if err == nil {
		err = providertest.CheckPairs(asked.Messages)
	}
	switch {
	case asked.Model == "nosuch":
		refuse(http.StatusNotFound, "NOT_FOUND", "models/nosuch is not found for API version v1beta")
	case r.Header.Get("X-Goog-Api-Key") == "AIza-refused-0000":
		refuse(http.StatusBadRequest, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.")
	case err != nil || !asked.Stream:
		refuse(http.StatusBadRequest, "INVALID_ARGUMENT", fmt.Sprintf("%s: %v", r.URL.Path, err))
	default:
		w.Header().Set("Content-Type", "text/event-stream")
		s.dialect.Write(w, replyTo(asked))
	}
}
