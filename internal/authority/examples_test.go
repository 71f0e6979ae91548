package authority

import (
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/a-seed-11b9befa/flow/workflows"
)

var update = flag.Bool("update", false, "write what is said of the examples into testdata/examples")

// TestExamples: what is said of each example is what testdata has, and nothing that its
// text has under a key which lets it do something is missing.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("../../examples/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, file := range files {
		if strings.HasSuffix(file, ".script.yaml") || strings.HasSuffix(file, ".test.yaml") {
			continue
		}
		seen++
		t.Run(filepath.Base(file), func(t *testing.T) {
			w, found := workflows.Load(file, workflows.Options{ReadFile: os.ReadFile, NoScripts: true})
			if w == nil {
				t.Fatal(found)
			}
			said := strings.Join(Of(w).Lines, "\n") + "\n"
			golden := filepath.Join("testdata", "examples", strings.TrimSuffix(filepath.Base(file), ".yaml")+".txt")
			if *update {
				if err := os.WriteFile(golden, []byte(said), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if want, err := os.ReadFile(golden); err != nil || string(want) != said {
				t.Errorf("%v: it is said\n%s\nand the file has\n%s", err, said, want)
			}
			for _, used := range w.Used() {
				checkSaid(t, used.File, said)
			}
		})
	}
	if seen < 6 {
		t.Errorf("there are %d examples", seen)
	}
}

// checkSaid reads a file as YAML alone, and looks for what its keys have.
func checkSaid(t *testing.T, file, said string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var data any
	if err := yaml.Unmarshal(text, &data); err != nil {
		t.Fatal(err)
	}
	var walk func(key string, data any)
	walk = func(key string, data any) {
		switch data := data.(type) {
		case map[string]any:
			for name, value := range data {
				switch key {
				case "mcp", "providers", "custom_tools", "prices":
					if !strings.Contains(said, name) {
						t.Errorf("%s: nothing is said of %s %q", file, key, name)
					}
				case "tools":
					if name != "name" {
						continue
					}
					name = "tool"
				}
				if key != "properties" && key != "outputs" && key != "inputs" && key != "with" {
					walk(name, value)
				}
			}
		case []any:
			for _, value := range data {
				walk(key, value)
			}
		case string:
			line, _, _ := strings.Cut(strings.TrimSpace(data), "\n")
			switch key {
			case "run", "env", "secrets", "api_key_env", "tools", "tool", "instructions", "workspace", "write", "reveal":
				if len(line) > 100 {
					line = line[:100]
				}
				if quoted := strings.Trim(strconv.Quote(line), `"`); !strings.Contains(said, line) && !strings.Contains(said, quoted) {
					t.Errorf("%s: nothing is said of %s %q", file, key, line)
				}
			}
		}
	}
	walk("", data)
}
