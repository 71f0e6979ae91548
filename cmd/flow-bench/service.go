package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// answer is a model service that speaks Chat Completions, streamed, and thinks no
// time at all. The model's name says what it does: kind-turns. Each turn but the
// last calls tools.
func answer(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Model    string `json:"model"`
		Messages []struct {
			Role string `json:"role"`
		} `json:"messages"`
	}
	body, err := io.ReadAll(r.Body)
	if err != nil || json.Unmarshal(body, &request) != nil {
		http.Error(w, `{"error": {"message": "this is no request"}}`, http.StatusBadRequest)
		return
	}
	kind, count, _ := strings.Cut(request.Model, "-")
	turns, err := strconv.Atoi(count)
	if err != nil {
		http.Error(w, `{"error": {"message": "there is no such model"}}`, http.StatusNotFound)
		return
	}
	turn := 1
	for _, m := range request.Messages {
		if m.Role == "assistant" {
			turn++
		}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	if turn < turns {
		writeCalls(w, calls(kind, turn))
		return
	}
	writeText(w)
}

// A call is what the model asks for.
type call struct{ name, arguments string }

// calls returns the calls of a turn. No two turns ask for the same.
func calls(kind string, turn int) []call {
	switch kind {
	case "read":
		return []call{{"read", fmt.Sprintf(`{"filePath":"data.txt","offset":%d}`, turn%40)}}
	case "sleep":
		var four []call
		for i := range 4 {
			four = append(four, call{"bash", fmt.Sprintf(`{"command":"sleep 0.1 # %d %d","description":"wait"}`, turn, i)})
		}
		return four
	case "print":
		return []call{{"bash", `{"command":"sh print.sh","description":"print"}`}}
	}
	return nil
}

func writeCalls(w io.Writer, all []call) {
	for i, c := range all {
		arguments, _ := json.Marshal(c.arguments) // a string always can be
		fmt.Fprintf(w, `data: {"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":%d,"id":"call_%d","type":"function","function":{"name":%q,"arguments":%s}}]}}]}`+"\n\n", i, i, c.name, arguments)
	}
	finish(w, "tool_calls")
}

func writeText(w io.Writer) {
	for _, word := range strings.SplitAfter("This is the answer of a model that did what it was asked for. ", " ") {
		fmt.Fprintf(w, `data: {"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"content":%q}}]}`+"\n\n", word)
	}
	finish(w, "stop")
}

func finish(w io.Writer, reason string) {
	fmt.Fprintf(w, `data: {"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{},"finish_reason":%q}],"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120}}`+"\n\n", reason)
	io.WriteString(w, "data: [DONE]\n\n")
}
