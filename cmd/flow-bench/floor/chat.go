package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
)

type message struct {
	Role    string `json:"role"`
	Content string `json:"content,omitempty"`
	Calls   []call `json:"tool_calls,omitempty"`
	CallID  string `json:"tool_call_id,omitempty"`
}

type call struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type chunk struct {
	Choices []struct {
		Delta struct {
			Content string `json:"content"`
			Calls   []call `json:"tool_calls"`
		} `json:"delta"`
	} `json:"choices"`
}

var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}

// chat prints what the model says in the end.
func chat(model string) error {
	messages, err := converse(model)
	if err != nil {
		return err
	}
	_, err = os.Stdout.WriteString(messages[len(messages)-1].Content)
	return err
}

// keep leaves a conversation and its end in files, in a folder of their own.
func keep(model, folder string) error {
	messages, err := converse(model)
	if err != nil {
		return err
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		return err
	}
	var transcript bytes.Buffer
	lines := json.NewEncoder(&transcript)
	for _, m := range messages {
		if err := lines.Encode(m); err != nil {
			return err
		}
	}
	result, err := json.Marshal(messages[len(messages)-1])
	if err != nil {
		return err
	}
	file := filepath.Join(folder, "result.json")
	return errors.Join(
		os.WriteFile(filepath.Join(folder, "transcript.jsonl"), transcript.Bytes(), 0o600),
		os.WriteFile(file+".new", result, 0o600),
		os.Rename(file+".new", file),
	)
}

// converse goes on until the model calls no more tools.
func converse(model string) ([]message, error) {
	messages := []message{{Role: "user", Content: "Go."}}
	for {
		said, err := send(model, messages)
		if err != nil {
			return nil, err
		}
		messages = append(messages, said)
		if len(said.Calls) == 0 {
			return messages, nil
		}
		results := make([]message, len(said.Calls))
		errs := make([]error, len(said.Calls))
		var wait sync.WaitGroup
		for i, c := range said.Calls {
			wait.Go(func() {
				var text string
				text, errs[i] = answer(c)
				results[i] = message{Role: "tool", CallID: c.ID, Content: text}
			})
		}
		wait.Wait()
		if err := errors.Join(errs...); err != nil {
			return nil, err
		}
		messages = append(messages, results...)
	}
}

const tools = `[{"type":"function","function":{"name":"read","description":"Read a file","parameters":{"type":"object","properties":{"filePath":{"type":"string"},"offset":{"type":"integer"}}}}}]`

// send sends the conversation and puts the streamed answer together.
func send(model string, messages []message) (message, error) {
	body, err := json.Marshal(map[string]any{"model": model, "messages": messages, "stream": true, "tools": json.RawMessage(tools)})
	if err != nil {
		return message{}, err
	}
	request, err := http.NewRequest(http.MethodPost, os.Getenv("OPENAI_BASE_URL")+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return message{}, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+os.Getenv("OPENAI_API_KEY"))
	response, err := client.Do(request)
	if err != nil {
		return message{}, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return message{}, fmt.Errorf("status %s", response.Status)
	}
	said := message{Role: "assistant"}
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
		if !ok || string(data) == "[DONE]" {
			continue
		}
		var c chunk
		if err := json.Unmarshal(data, &c); err != nil {
			return message{}, err
		}
		for _, choice := range c.Choices {
			said.Content += choice.Delta.Content
			said.Calls = append(said.Calls, choice.Delta.Calls...)
		}
	}
	return said, lines.Err()
}
