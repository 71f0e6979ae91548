package main

import (
	"fmt"
	"io"
	"net/http"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/providertest"
)

// A messagesService speaks Anthropic's Messages, as strictly as the vendor does.
// Its model thinks, reads the file note.txt, and says what is in it.
type messagesService struct{ dialect providertest.Messages }

// ServeHTTP answers one request.
func (s *messagesService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	refuse := func(status int, kind, message string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"type":"error","error":{"type":%q,"message":%q}}`, kind, message)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		refuse(http.StatusBadRequest, "invalid_request_error", err.Error())
		return
	}
	asked, err := s.dialect.Read(body)
	if err == nil {
		err = providertest.CheckPairs(asked.Messages)
	}
	switch {
	case r.URL.Path != "/v1/messages" || asked.Model == "nosuch":
		refuse(http.StatusNotFound, "not_found_error", "model: nosuch")
	case r.Header.Get("X-Api-Key") == "sk-refused-0000":
		refuse(http.StatusUnauthorized, "authentication_error", "invalid x-api-key")
	case r.Header.Get("Anthropic-Version") != "2023-06-01":
		refuse(http.StatusBadRequest, "invalid_request_error", "anthropic-version: header is required")
	case err != nil:
		refuse(http.StatusBadRequest, "invalid_request_error", err.Error())
	default:
		w.Header().Set("Content-Type", "text/event-stream")
		s.dialect.Write(w, replyTo(asked))
	}
}

// replyTo calls a tool, or tells what the last call gave.
func replyTo(asked providertest.Asked) providertest.Reply {
	last := asked.Messages[len(asked.Messages)-1]
	usage := providers.Usage{InputTokens: 900, OutputTokens: 30, ReasoningTokens: 8}
	if last.Role != providers.RoleTool {
		return providertest.Reply{
			Thinking: "I look first.", Calls: []providertest.Call{{ID: "toolu_1", Name: "read", Arguments: `{"filePath":"note.txt"}`}}, Usage: usage,
		}
	}
	usage.CachedInputTokens = 800
	return providertest.Reply{Text: "It says: " + last.Blocks[0].Content, Usage: usage}
}
