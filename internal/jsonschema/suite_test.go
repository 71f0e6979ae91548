package jsonschema

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
)

// A suiteGroup is one schema of the official test suite with its cases.
type suiteGroup struct {
	Description string
	Schema      json.RawMessage
	Tests       []struct {
		Description string
		Data        json.RawMessage
		Valid       bool
	}
}

// unsupported names what is left out on purpose, by the beginning of "draft/file:
// group: case", with the reason.
func unsupported() map[string]string {
	const (
		remote      = "refers to what would have to be loaded"
		dynamic     = "refers to what depends on how it was reached"
		custom      = "has a $schema of its own"
		address     = "names a part by an address beside others"
		formats     = "of a format that is not checked, or no stricter than Go's library"
		perl        = "is of ECMA-262, and read as Go reads it"
		unevaluated = "is not checked, and told as that"
		beside      = "is read as later drafts have it"
	)
	return map[string]string{
		"refRemote.json: ": remote,
		"ref.json: remote ref, containing refs itself": remote,
		"optional/cross-draft.json: ":                  remote,
		"dynamicRef.json: ":                            dynamic,
		"optional/dynamicRef.json: ":                   dynamic,
		"unevaluatedItems.json: ":                      unevaluated,
		"unevaluatedProperties.json: ":                 unevaluated,
		"ref.json: ref creates new scope":              unevaluated,
		"not.json: collect annotations inside a 'not'": unevaluated,
		"vocabulary.json: ":                            custom,
		"optional/format-assertion.json: ":             custom,
		"optional/format/":                             formats,
		"optional/ecmascript-regex.json: ":             perl,
		"optional/unknownKeyword.json: ":               address,
		"optional/id.json: ":                           address,
		"optional/anchor.json: ":                       address,
		"anchor.json: ":                                address,
		"draft7/optional/content.json: ":               beside,
		"draft7/ref.json: ref overrides":               beside,
		"draft7/ref.json: $ref prevents":               beside,
		"ref.json: refs with relative uris":            address,
		"ref.json: relative refs with absolute":        address,
		"ref.json: ref with absolute-path":             address,
		"ref.json: ref to ":                            address,
		"ref.json: URN ":                               address,
		"ref.json: Reference an anchor":                address,
		"ref.json: Recursive references between":       address,
		"ref.json: Location-independent":               address,
		"ref.json: $id ":                               address,
		"ref.json: order of evaluation":                address,
	}
}

// TestOfficialSuite runs the official test suite of JSON Schema, which is not
// part of this project: FLOW_JSON_SCHEMA_SUITE names the folder of its checkout
// (github.com/json-schema-org/JSON-Schema-Test-Suite).
func TestOfficialSuite(t *testing.T) {
	folder := os.Getenv("FLOW_JSON_SCHEMA_SUITE")
	if folder == "" {
		t.Skip("FLOW_JSON_SCHEMA_SUITE names no checkout of the official test suite")
	}
	for _, name := range []string{"draft7", "draft2020-12"} {
		t.Run(name, func(t *testing.T) {
			run := &suiteRun{draft: name, urls: map[string]string{
				"draft7": "http://json-schema.org/draft-07/schema#", "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
			}}
			root := filepath.Join(folder, "tests", name)
			for _, file := range suiteFiles(t, root) {
				run.file(t, root, file)
			}
			t.Logf("%d cases pass, %d are left out:", run.passed, len(run.left))
			sort.Strings(run.left)
			for _, group := range slices.Compact(run.left) {
				t.Log("  " + group)
			}
			if run.passed < 500 {
				t.Errorf("only %d cases were found", run.passed)
			}
		})
	}
}

type suiteRun struct {
	draft  string
	urls   map[string]string
	passed int
	left   []string // groups that are not supported, once for each case
}

func suiteFiles(t *testing.T, root string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".json") {
			rel, _ := filepath.Rel(root, path)
			files = append(files, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func (run *suiteRun) file(t *testing.T, root, file string) {
	raw, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	var groups []suiteGroup
	if err := json.Unmarshal(raw, &groups); err != nil {
		t.Fatal(err)
	}
	for _, g := range groups {
		schema, err := compileSuite(g.Schema, run.urls[run.draft], strings.HasPrefix(file, "optional/format/"))
		for _, test := range g.Tests {
			id := run.draft + "/" + file + ": " + g.Description + ": " + test.Description
			fits := false
			if err == nil {
				value, problem := Parse(test.Data)
				if problem != nil {
					t.Fatal(problem)
				}
				fits = schema.Validate(value) == nil
			}
			why := leftOut(id)
			switch {
			case err == nil && fits == test.Valid:
				run.passed++
			case why != "":
				run.left = append(run.left, file+": "+g.Description+" ("+why+")")
			default:
				t.Errorf("%s: fits is %v (%v)", id, fits, err)
			}
		}
	}
}

func compileSuite(raw json.RawMessage, draftURL string, formats bool) (*Schema, error) {
	document, err := Parse(raw)
	if err != nil {
		return nil, err
	}
	if object, isObject := document.(map[string]any); isObject && object["$schema"] == nil {
		object["$schema"] = draftURL
	}
	return Compile(document, Options{Formats: formats})
}

// leftOut gives the reason why a case is not supported, or "".
func leftOut(id string) string {
	for prefix, why := range unsupported() {
		_, rest, _ := strings.Cut(id, "/")
		if strings.HasPrefix(rest, prefix) || strings.HasPrefix(id, prefix) {
			return why
		}
	}
	return ""
}
