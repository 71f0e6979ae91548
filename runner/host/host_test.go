package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/tools/shell"
	"github.com/a-seed-11b9befa/flow/workflows"
)

var update = flag.Bool("update", false, "write the answers of testdata anew")

// TestHost has the questions that stand at the top of each archive of testdata,
// about its files, answered as its file out has it:
//
//	load FILE                     what is wrong with a workflow
//	check FILE [MODEL]            and with its set-up
//	check FILE NAME=VALUE…        and with its set-up for inputs
//	open FILE [NAME=VALUE…]       what keeps it from being run; names are options, variables and inputs
//	run FILE [NAME=VALUE…]        what comes of it, and what is warned of meanwhile
//	show FILE                     what is in it
//	judge FILE STEP TOOL ARG      whether a call may be made
//	prices FILE                   what is wrong with a file of prices
//	elsewhere FILE                what is wrong with a workflow that is not its caller's own
//	asks FILE                     what it wants of the machine, and what it allows
//	files FILE                    what it is made of
//	offers FILE [NAME=VALUE…]     which tools its steps have
//	doctor [NAME=VALUE…]          what this machine has of what workflows need
//	workflows FOLDER              which files are workflows
//	list [NAME…] [NAME=VALUE…]    providers and their models
func TestHost(t *testing.T) {
	archives, err := filepath.Glob("testdata/host/*.txtar")
	if err != nil || len(archives) < 10 {
		t.Fatalf("%d archives, %v", len(archives), err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			if health := variables(nil).Doctor(); strings.HasPrefix(filepath.Base(name), "held") && health.Level != string(workflows.LevelHeld) {
				t.Skipf("SKIPPED: %s", health.WhyNot)
			}
			if err := shell.Sandboxes(); err != nil && strings.HasPrefix(filepath.Base(name), "landlock") {
				t.Skipf("SKIPPED: %s", err)
			}
			file, err := filepath.Abs(name)
			if err != nil {
				t.Fatal(err)
			}
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := answersTo(t, archive)
			out := &archive.Files[len(archive.Files)-1]
			switch {
			case out.Name != "out":
				t.Fatal("the last file of an archive is out")
			case *update:
				out.Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			case got != string(out.Data):
				t.Errorf("got\n%s\nwant\n%s", got, out.Data)
			}
		})
	}
}

// answersTo lays out the files of an archive in a folder, and asks there.
func answersTo(t *testing.T, archive *txtar.Archive) string {
	t.Chdir(t.TempDir())
	for _, f := range archive.Files[:len(archive.Files)-1] {
		if err := os.MkdirAll(filepath.Dir(f.Name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f.Name, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	asked := 0
	for line := range strings.Lines(string(archive.Comment)) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		asked++
		fmt.Fprintf(&b, "> %s\n%s", strings.TrimSpace(line), answer(t, words))
	}
	if asked == 0 {
		t.Fatal("nothing is asked")
	}
	return strings.ReplaceAll(b.String(), here, "$HERE")
}

func answer(t *testing.T, words []string) string {
	if words[0] == "list" {
		return providersListed(words[1:])
	}
	if len(words) < 2 {
		t.Fatalf("%q is no question", words)
	}
	file, rest := words[1], words[2:]
	switch words[0] {
	case "load":
		_, found := host.Load(file, host.LoadOptions{})
		return listed(found)
	case "check":
		w, found := host.Load(file, host.LoadOptions{})
		if w == nil {
			return listed(found)
		}
		if strings.Contains(strings.Join(rest, ""), "=") {
			return listed(w.Check(host.CheckOptions{Inputs: optionsOf(rest).Inputs}))
		}
		return listed(w.Check(host.CheckOptions{Model: strings.Join(rest, "")}))
	case "show":
		text, err := os.ReadFile(file)
		return string(text) + told(err)
	case "open":
		return opened(t.Context(), file, rest, false)
	case "run":
		return opened(t.Context(), file, rest, true)
	case "judge":
		return judged(file, rest)
	case "prices":
		prices, err := host.ReadPrices(file)
		return fmt.Sprintf("%d prices\n%s", len(prices), told(err))
	case "elsewhere":
		_, found := host.Load(file, host.LoadOptions{Environment: host.Environment{Fetched: filepath.Dir}})
		return listed(found)
	case "workflows":
		files, err := host.WorkflowsIn(file)
		return strings.Join(append(files, ""), "\n") + told(err)
	case "doctor":
		return examined(words[1:])
	case "asks", "files", "offers":
		return ofLoaded(t.Context(), words[0], file, rest)
	}
	t.Fatalf("%q is no question", words)
	return ""
}

func opened(ctx context.Context, file string, named []string, run bool) string {
	start, err := os.Getwd()
	if err != nil {
		return told(err)
	}
	var b strings.Builder
	o := optionsOf(named)
	o.File = file
	o.Warn = func(message string) { fmt.Fprintf(&b, "warned: %s\n", message) }
	o.Observe = func(e runner.Event) {
		if e.Type == steps.Warning {
			o.Warn(e.Message)
		}
	}
	if ask := o.Ask; ask != nil {
		o.Ask = func(ctx context.Context, tool string, arguments json.RawMessage, d tools.Decision) (tools.Decision, error) {
			fmt.Fprintf(&b, "asked: %s by %s\n", tool, d.Rule)
			return ask(ctx, tool, arguments, d)
		}
	}
	h, err := host.Open(ctx, o)
	if err != nil {
		return told(err)
	}
	defer h.Close()
	text := listed(h.Warnings())
	if !run {
		return text
	}
	result, err := h.Run(ctx)
	if text += b.String(); err != nil {
		return text + told(err)
	}
	if filepath.Dir(h.Dir()) != filepath.Join(start, ".flow", "runs") {
		text += h.Dir() + "\n"
	}
	if result.Error != nil {
		text += told(&result.Error.Error)
	}
	return text + fmt.Sprintf("%s %s\n", result.Status, result.Text())
}

// optionsOf are options by their names, variables in capitals, and inputs. The current
// folder is $HERE in their values.
func optionsOf(named []string) host.Options {
	here, _ := os.Getwd() // where the files of the archive are
	set := map[string]string{"PATH": os.Getenv("PATH")}
	o := host.Options{Inputs: map[string]any{}, Environment: variables(set)}
	for _, pair := range named {
		name, value, _ := strings.Cut(strings.ReplaceAll(pair, "$HERE", here), "=")
		switch {
		case name == "Model":
			o.Model = value
		case name == "Workspace":
			o.Workspace = value
		case name == "Dir":
			o.Dir = value
		case name == "Protected":
			o.Protected = append(o.Protected, value)
		case name == "PlanOnly":
			o.PlanOnly = true
		case name == "Ask":
			o.Ask = func(_ context.Context, _ string, _ json.RawMessage, d tools.Decision) (tools.Decision, error) {
				d.Verdict = map[string]tools.Verdict{"allow": tools.Allow, "deny": tools.Deny}[value]
				return d, nil
			}
		case strings.ToUpper(name) == name:
			set[name] = value
		default:
			o.Inputs[name] = value
		}
	}
	o.Environment.Names = func() []string { return slices.Sorted(maps.Keys(set)) }
	return o
}

func judged(file string, words []string) string {
	w, found := host.Load(file, host.LoadOptions{NoScripts: true})
	if w == nil {
		return listed(found)
	}
	j, err := w.Judge(host.StepCall{Step: words[0], Tool: words[1], Argument: strings.Join(words[2:], " ")})
	if err != nil {
		return told(err)
	}
	return fmt.Sprintf("%s %s offered=%v rule=%q\n", j.Verdict, j.Input, j.Offered, j.Rule)
}

// listed are diagnostics, one a line.
func listed(found workflows.Diagnostics) string {
	var b strings.Builder
	for _, d := range found {
		fmt.Fprintf(&b, "%s: %s\n", d.Severity, d)
	}
	if len(found) == 0 {
		b.WriteString("nothing\n")
	}
	return b.String()
}

// told is an error with its kind and its hint.
func told(err error) string {
	var found workflows.Diagnostics
	var failed *steps.Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &found):
		return listed(found)
	case errors.As(err, &failed):
		option := ""
		if failed.Option != "" {
			option = fmt.Sprintf("option: %s\n", failed.Option)
		}
		return fmt.Sprintf("%s: %v\nhint: %s\n%s", failed.Kind, err, failed.Hint, option)
	}
	return err.Error() + "\n"
}
