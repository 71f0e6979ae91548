package google

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire/wiretest"
)

// TestServerSideParts: what the service ran itself goes back as it came, with its
// signature, and where it stood.
func TestServerSideParts(t *testing.T) {
	signature := `"thoughtSignature": "c2ln"`
	call := `{"functionCall":{"id":"1","name":"f","args":{}}}`
	for _, part := range []string{
		`{"executableCode": {"language": "PYTHON", "code": "print(1)"}, ` + signature + `}`,
		`{` + signature + `, "codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1\n"}}`,
		`{"toolCall": {"toolType": "GOOGLE_SEARCH_WEB", "args": {"queries": ["a"]}, "id": "s1"}, ` + signature + `}`,
		`{"toolResponse": {"toolType": "GOOGLE_SEARCH_WEB", "response": {"x": [1]}, "id": "s1"}, ` + signature + `}`,
		`{"inlineData": {"mimeType": "image/png", "data": "AA=="}, ` + signature + `}`,
		`{"functionResponse": {"name": "g", "response": {"n": 1}}, ` + signature + `}`,
		`{"text": "", "executableCode": {"code": "1"}}`,
		`{"thought": true, "executableCode": {"code": "1"}, ` + signature + `}`,
		`{"text": "said", "executableCode": {"code": "1"}, ` + signature + `}`,
		`{"type": "code", "executableCode": {"code": "1"}, ` + signature + `}`,
	} {
		message, err := wireFormat.Decode(wiretest.Stream, events("STOP", `{"text": "a"}`, part, `{"text": "b"}`, call), nil)
		if err != nil {
			t.Errorf("%s: %v", part, err)
			continue
		}
		message.Provider = "google"
		for _, name := range []string{"gemini-2.5-pro", "gemini-3-pro-preview"} {
			contents := New(model(name)).contents(providers.Request{Messages: []providers.Message{message}})
			want := `[{"role":"model","parts":[{"text":"a"},` + compact(t, part) + `,{"text":"b"},`
			if got := string(wire.JSON(contents)); !strings.HasPrefix(got, want) {
				t.Errorf("%s: sent %s, want %s…", name, got, want)
			}
		}
	}
}

func compact(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Compact(&out, []byte(text)); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
