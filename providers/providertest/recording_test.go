package providertest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A recording is one case of the corpus: a conversation with a real service, and
// what a right client makes of it.
type recording struct {
	dir      string
	cut      bool       // it is served so that the connection breaks off in the middle
	Name     string     `json:"name"`
	Provider string     `json:"provider"`
	API      string     `json:"api"`
	Model    string     `json:"model"`
	Turns    []exchange `json:"turns"`
	Expect   []expected `json:"expect"`
}

type exchange struct {
	Request  string `json:"request"`
	Response string `json:"response"`
	Headers  string `json:"response_headers"`
	Status   int    `json:"status"`
}

type expected struct {
	Text     string `json:"text"`
	Refusal  string `json:"refusal"`
	Thinking struct {
		Present    bool   `json:"present"`
		Text       string `json:"text"`
		Signatures int    `json:"signatures"`
		Redacted   int    `json:"redacted"`
		Encrypted  int    `json:"encrypted"`
	} `json:"thinking"`
	Calls []struct {
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Raw       json.RawMessage `json:"raw"`
	} `json:"tool_calls"`
	Finish   string      `json:"finish"`
	FinishOK []string    `json:"finish_ok"`
	Usage    usageCounts `json:"usage"`
	UsageRaw struct {
		Cost any `json:"cost"` // in USD, where it is a number
	} `json:"usage_raw"`
	Error     *errorWords `json:"error"`
	Truncated bool        `json:"truncated"`
}

type usageCounts struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	Cached     int64 `json:"cached"`
	CacheWrite int64 `json:"cache_write"`
	Reasoning  int64 `json:"reasoning"`
	Total      int64 `json:"total"`
}

type errorWords struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// file returns the bytes of a file of the case.
func (r recording) file(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(r.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// contentType returns the type of the recorded response.
func (r recording) contentType(t *testing.T, turn exchange) string {
	t.Helper()
	headers := map[string]any{}
	if err := json.Unmarshal(r.file(t, turn.Headers), &headers); err != nil {
		t.Fatal(err)
	}
	for name, value := range headers {
		if text, ok := value.(string); ok && strings.EqualFold(name, "content-type") {
			return text
		}
	}
	if strings.HasSuffix(turn.Response, ".sse") {
		return "text/event-stream"
	}
	return "application/json"
}

// recordings reads all cases of one wire format.
func recordings(t *testing.T, folder, api string) []recording {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*", "*", "case.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list []recording
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		r := recording{dir: filepath.Dir(path)}
		if err := json.Unmarshal(data, &r); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if r.API == api {
			list = append(list, r)
		}
	}
	return list
}
