package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestKeysKeepTheirOrder(t *testing.T) {
	got := keysOf(json.RawMessage(`{"z": 1, "a": {"b": 2}, "m": [3]}`))
	if diff := cmp.Diff([]string{"z", "a", "m"}, got); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	for _, text := range []string{"", "[]", "{", `{"a"`, "null"} {
		if keys := keysOf(json.RawMessage(text)); len(keys) > 1 {
			t.Errorf("keysOf(%q) = %v", text, keys)
		}
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
