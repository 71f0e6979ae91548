package cache

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
)

// entryVersion is the version of the form of entries. An entry of another one is a miss.
const entryVersion = 1

// An entry is an answer in the store. Texts are encoded as bytes, to keep also invalid UTF-8
// exactly.
type entry struct {
	Version  int              `json:"flow_cached_answer"`
	Key      string           `json:"key"`
	Time     time.Time        `json:"time"`
	Provider string           `json:"provider"`
	Model    string           `json:"model"`
	Finish   providers.Finish `json:"finish"`
	Usage    providers.Usage  `json:"usage"`
	Blocks   []block          `json:"blocks"`
}

type block struct {
	Type      providers.BlockType `json:"type"`
	Text      []byte              `json:"text,omitempty"`
	ID        []byte              `json:"id,omitempty"`
	Name      []byte              `json:"name,omitempty"`
	Arguments []byte              `json:"arguments,omitempty"`
	Raw       []byte              `json:"raw,omitempty"`
}

// entryOf returns the entry of an answer.
func entryOf(m providers.Message) entry {
	e := entry{Version: entryVersion, Provider: m.Provider, Model: m.Model, Finish: m.Finish, Usage: m.Usage}
	for _, b := range m.Blocks {
		e.Blocks = append(e.Blocks, block{
			Type: b.Type, Text: []byte(b.Text), ID: []byte(b.ID), Name: []byte(b.Name), Arguments: b.Arguments, Raw: b.Raw,
		})
	}
	return e
}

// message returns the answer. Its usage is in Saved.
func (e entry) message() providers.Message {
	m := providers.Message{Role: providers.RoleAssistant, Provider: e.Provider, Model: e.Model, Finish: e.Finish, Saved: &e.Usage}
	for _, b := range e.Blocks {
		m.Blocks = append(m.Blocks, providers.Block{
			Type: b.Type, Text: string(b.Text), ID: string(b.ID), Name: string(b.Name), Arguments: rawOf(b.Arguments), Raw: rawOf(b.Raw),
		})
	}
	return m
}

// rawOf is nil for nothing, as it is in what a service answers.
func rawOf(data []byte) json.RawMessage {
	if len(data) == 0 {
		return nil
	}
	return data
}

// isWhole reports whether an answer may be stored: it is complete, and a conversation can
// continue with it.
func (e entry) isWhole() bool {
	if e.Version != entryVersion || !slices.Contains([]providers.Finish{providers.FinishStop, providers.FinishToolCalls}, e.Finish) {
		return false
	}
	u := e.Usage
	if min(u.InputTokens, u.OutputTokens, u.CachedInputTokens, u.CacheWriteTokens, u.CacheWrite1h, u.ReasoningTokens) < 0 || u.Cost != nil && *u.Cost < 0 {
		return false
	}
	ids := map[string]bool{}
	for _, b := range e.Blocks {
		switch b.Type {
		case providers.BlockText, providers.BlockThinking:
			if len(b.ID)+len(b.Name)+len(b.Arguments) > 0 {
				return false
			}
		case providers.BlockToolCall:
			id := string(b.ID)
			if id == "" || ids[id] || len(b.Name) == 0 || len(b.Arguments) == 0 || len(b.Text) > 0 {
				return false
			}
			ids[id] = true
		default:
			return false
		}
	}
	return len(e.Blocks) > 0 && (len(ids) > 0) == (e.Finish == providers.FinishToolCalls)
}

// holds reports whether secret is true for a text of the entry.
func (e entry) holds(secret func(string) bool) bool {
	return slices.ContainsFunc(e.Blocks, func(b block) bool {
		return slices.ContainsFunc([][]byte{b.Text, b.ID, b.Name, b.Arguments, b.Raw}, func(text []byte) bool {
			return len(text) > 0 && secret(string(text))
		})
	})
}

var errEntry = errors.New("an entry that is none")

// decode decodes an entry. It is an error if this version would not have written it.
func decode(data []byte) (e entry, err error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&e); err != nil {
		return entry{}, err
	}
	if _, err := decoder.Token(); err != io.EOF || !e.isWhole() {
		return entry{}, errEntry
	}
	return e, nil
}
