package workflows

import (
	"os"
	"path/filepath"
	"testing"
)

// TestAcceptanceFiles loads the workflows of a folder of acceptance cases, which
// FLOW_ACCEPTANCE names. Those whose case says that they are wrong must be.
func TestAcceptanceFiles(t *testing.T) {
	root := os.Getenv("FLOW_ACCEPTANCE")
	if root == "" {
		t.Skip("FLOW_ACCEPTANCE names no folder of cases")
	}
	wrong := map[string]bool{"mistakes-all-at-once": true, "unknown-names-as-json": true, "run-single-quotes-refused": true, "yaml-alias-bomb": true, "yaml-syntax-error": true}
	for _, pattern := range []string{"*/ws/flow.yaml", "*/ws/docs-gen.yaml"} {
		files, _ := filepath.Glob(filepath.Join(root, pattern))
		for _, file := range files {
			name := filepath.Base(filepath.Dir(filepath.Dir(file)))
			t.Run(name, func(t *testing.T) {
				_, ds := Load(file, Options{ReadFile: os.ReadFile, Tools: builtInTools()})
				for _, d := range ds {
					t.Log(d.Render())
				}
				if ds.HasErrors() != wrong[name] {
					t.Errorf("errors: %v, want %v", ds.HasErrors(), wrong[name])
				}
			})
		}
	}
}

// builtInTools are tools with parameters as the program's have.
func builtInTools() []ToolInfo {
	object := func(properties string, required string) []byte {
		return []byte(`{"type":"object","properties":{` + properties + `},"required":[` + required + `],"additionalProperties":false}`)
	}
	return []ToolInfo{
		{"read", object(`"filePath":{"type":"string"},"offset":{"type":"integer"},"limit":{"type":"integer"}`, `"filePath"`)},
		{"write", object(`"filePath":{"type":"string"},"content":{"type":"string"}`, `"filePath","content"`)},
		{"edit", object(`"filePath":{"type":"string"},"oldString":{"type":"string"},"newString":{"type":"string"},"replaceAll":{"type":"boolean"}`, `"filePath"`)},
		{"list", object(`"path":{"type":"string"}`, ``)},
		{"glob", object(`"pattern":{"type":"string"},"path":{"type":"string"}`, `"pattern"`)},
		{"grep", object(`"pattern":{"type":"string"},"path":{"type":"string"},"include":{"type":"string"}`, `"pattern"`)},
		{"bash", object(`"command":{"type":"string"},"description":{"type":"string"},"workdir":{"type":"string"},"timeout":{"type":"integer"}`, `"command"`)},
		{"webfetch", object(`"url":{"type":"string"},"format":{"type":"string"}`, `"url"`)},
	}
}
