package workflows

import (
	"strings"
	"testing"
)

// TestWordsOfPaths asks under which name an expression calls what reads files.
func TestWordsOfPaths(t *testing.T) {
	for source, want := range map[string]string{
		`file("a")`:                                        "file a",
		`file("a" + env.OWN)`:                              "file aown",
		`file(run.dir + "/x")`:                             "file d/x",
		`file(true ? "a" : "b")`:                           "file a",
		`steps.s.text + file("a")`:                         "sfile a",
		`file(inputs.path)`:                                "file? i",
		`file(env.FROM_INPUT)`:                             "file? i",
		`file(steps.s.text)`:                               "file! s",
		`steps.s.text | file()`:                            "file! s",
		`file(env.FROM_MODEL)`:                             "file! s",
		`file(env["FROM_MODEL"])`:                          "file! s",
		`file(toJSON(env))`:                                `file! {"FROM_INPUT":"i","FROM_MODEL":"s","OWN":"own"}`,
		`file(file("a"))`:                                  "file! file a",
		`file(glob("a")[0])`:                               "file! glob a",
		`map(["a"], file(#))[0]`:                           "file! a",
		`let p = "a"; file(p)`:                             "file! a",
		`let f = file; f("a")`:                             "file! a",
		`{"f": file}.f("a")`:                               "file! a",
		`file(lower(steps.s.text))`:                        "file! s",
		`file(inputs.path + steps.s.text)`:                 "file! is",
		`glob("a")[0]`:                                     "glob a",
		`glob(inputs.path)[0]`:                             "glob? i",
		`glob(steps.s.text + "/*")[0]`:                     "glob! s/*",
		`let f = steps.s.text == "" ? file : file; f("a")`: "file! a",
		`file(inputs.path == "i" ? "a" : "b")`:             "file? a",
		`reduce(["a"], file(#), "")`:                       "file! a",
		`file(join(map(["a"], #), ""))`:                    "file! a",
		`file(format("{0}", steps.s.text))`:                "file! s",
		`file({"a": steps.s.text}.a)`:                      "file! s",
		`file(fromJSON(toJSON(steps.s.text)))`:             "file! s",
		`file(steps["s"]["text"])`:                         "file! s",
		`file("a"[0:1])`:                                   "file a",
		`file(workflow.name ?? steps.s.text)`:              "file! w",
		`(file(inputs.path)) + file("b")`:                  "file? ifile b",
		`glob("a" + string(1))[0] + file(run.id)`:          "glob a1file r",
		`file(concat(["a"], [steps.s.text])[0])`:           "file! a",
		`file(last(["a", env.FROM_MODEL]) ?? "b")`:         "file! s",
	} {
		given := "name: w\nmodel: openai/m\ninputs: {path: {type: string}}\nenv: [{OWN: own, FROM_INPUT: \"${{ inputs.path }}\"}]\nsteps:\n" +
			"- {id: s, prompt: x}\n- id: e\n  env: {FROM_MODEL: \"${{ steps.s.text }}\"}\n  run: |\n    echo ${{ " + source + " }}\n"
		w, ds := Parse("w.yaml", []byte(given), Options{})
		if ds.HasErrors() {
			t.Errorf("%s: %v", source, ds)
			continue
		}
		names := Env{
			"inputs": map[string]any{"path": "i"}, "run": map[string]any{"id": "r", "dir": "d"}, "workflow": map[string]any{"name": "w", "dir": "d"},
			"env":   map[string]any{"OWN": "own", "FROM_INPUT": "i", "FROM_MODEL": "s"},
			"steps": map[string]any{"s": map[string]any{"text": "s"}},
		}
		for words := OwnWords; words <= Foreign; words++ {
			names[words.Called("file")] = func(path string) (string, error) { return words.Called("file") + " " + path, nil }
			names[words.Called("glob")] = func(path string) ([]string, error) { return []string{words.Called("glob") + " " + path}, nil }
		}
		rendered, err := w.Steps[1].Command.Script.Render(names)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		var got strings.Builder
		for _, v := range rendered.Values {
			got.WriteString(v.Value)
		}
		if got.String() != want {
			t.Errorf("%s calls %q, want %q", source, got.String(), want)
		}
	}
}
