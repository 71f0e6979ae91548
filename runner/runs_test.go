package runner

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

var update = flag.Bool("update", false, "write what runs came to into testdata anew")

// TestRuns does what stands at the top of each archive of testdata/runs, and what came
// of it is as its file out has it:
//
//	run [NAME=VALUE…]      flow.yaml is run anew; names are budget, grace, parallel, token, full and inputs
//	resume [NAME=VALUE…]   it is gone on with; also from=UNIT and changed=FILE, what flow.yaml says now
//	read                   what the folder of the run says of it
//	tear BYTES             the end of the journal was not written
//	garble TEXT            the first TEXT in the journal has another first character
//	remove PATTERN         a file is not there any more
//
// A prompt says what the model does, request by request, the last for all that follow:
// "!overloaded | there" has it refuse the first, and then say "there". ">echo" is a call,
// "~1m no" lets time pass before that, "^" interrupts the run and "^done" does so in an answer. Each
// request is of 10 tokens, which cost as many USD but with unpriced/models. The variable
// TOKEN is a secret: it is nowhere in the run's folder.
func TestRuns(t *testing.T) {
	archives, err := filepath.Glob("testdata/runs/*.txtar")
	if err != nil || len(archives) < 8 {
		t.Fatalf("%d archives, %v", len(archives), err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			out := &archive.Files[len(archive.Files)-1]
			if out.Name != "out" {
				t.Fatal("the last file of an archive is out")
			}
			var got string
			synctest.Test(t, func(t *testing.T) { got = played(t, archive) })
			if *update {
				out.Data = []byte(got)
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if diff := gocmp.Diff(string(out.Data), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// played does what the archive says in a folder with its files.
func played(t *testing.T, archive *txtar.Archive) string {
	p := &playedRun{trial: newTrial(t), asked: map[string]int{}}
	p.answer = p.act
	for _, f := range archive.Files[:len(archive.Files)-1] {
		p.write(f.Name, string(f.Data))
	}
	did := 0
	for line := range strings.Lines(string(archive.Comment)) {
		if words := strings.Fields(line); len(words) > 0 && words[0] != "#" {
			did++
			fmt.Fprintf(&p.said, "> %s", line)
			p.do(words)
			p.hasNoSecret()
		}
	}
	if did == 0 {
		t.Fatal("nothing is done")
	}
	return strings.ReplaceAll(p.said.String(), p.dir, "$HERE")
}

// A playedRun is a run to which something happens.
type playedRun struct {
	*trial
	asked  map[string]int // requests, by what asks
	beside bool           // several at once, so that their order says nothing
	asks   []string       // then
	warned []string       // in whatever order
	said   strings.Builder
	cancel context.CancelCauseFunc
}

const tokenValue = "tok-5f2e9c"

func (p *playedRun) do(words []string) {
	p.t.Helper()
	file := filepath.Join(p.dir, "run", journal.File)
	switch words[0] {
	case "run":
		p.must(os.RemoveAll(filepath.Join(p.dir, "run")))
		p.start(words)
	case "resume":
		p.start(words)
	case "read":
		r, err := ReadResult(filepath.Join(p.dir, "run"))
		p.came(r, err)
	case "tear":
		text, cut := p.file("run/journal.jsonl"), 0
		if _, err := fmt.Sscan(words[1], &cut); err != nil {
			p.t.Fatal(err)
		}
		p.must(os.Truncate(file, int64(max(len(text)-cut, 0))))
	case "garble":
		text := strings.Join(words[1:], " ")
		journal := p.file("run/journal.jsonl")
		if !strings.Contains(journal, text) {
			p.t.Fatalf("the journal has no %q", text)
		}
		p.must(os.WriteFile(file, []byte(strings.Replace(journal, text, "?"+text[1:], 1)), 0o600))
	case "remove":
		found, err := filepath.Glob(filepath.Join(p.dir, words[1]))
		if len(found) != 1 {
			p.t.Fatalf("%s is %q, %v", words[1], found, err)
		}
		p.must(os.Remove(found[0]))
	default:
		p.t.Fatalf("%q is nothing to do", words)
	}
}

func (p *playedRun) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// start runs the workflow, or goes on with it.
func (p *playedRun) start(words []string) {
	p.t.Helper()
	p.events, p.inputs = nil, map[string]any{}
	p.ctx, p.cancel = context.WithCancelCause(p.t.Context())
	defer p.cancel(nil)
	var options []func(*Options)
	set := func(change func(*Options)) { options = append(options, change) }
	if words[0] == "resume" {
		set(func(o *Options) { o.Resume = &Resumption{} })
	}
	token := tokenValue
	for _, word := range words[1:] {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "parallel":
			n, err := strconv.Atoi(value)
			p.must(err)
			p.beside = n > 1
			set(func(o *Options) { o.MaxParallel = n })
		case "budget":
			usd, err := strconv.ParseFloat(value, 64)
			p.must(err)
			set(func(o *Options) { o.BudgetUSD = &usd })
		case "grace":
			grace, err := time.ParseDuration(value)
			p.must(err)
			set(func(o *Options) { o.Grace = grace })
		case "token":
			token = value
		case "full": // there is no space left for a record of the kind
			set(func(o *Options) {
				o.passFact = func(r *journal.Record) error {
					if string(r.Kind) == value {
						return &fs.PathError{Op: "write", Path: journal.File, Err: syscall.ENOSPC}
					}
					return nil
				}
			})
		case "from":
			set(func(o *Options) { o.Resume.From = append(o.Resume.From, unitOf(p.t, value)) })
		case "changed":
			p.write("flow.yaml", p.file(value))
			set(func(o *Options) { o.Resume.Changed = true })
		default:
			p.inputs[name] = value
		}
	}
	p.change = func(o *Options) {
		o.MaxParallel, o.Mask, o.Secrets = 1, tools.NewMask([]string{token}), map[string]string{"TOKEN": token}
		o.LookupEnv = func(name string) (string, bool) { return token, name == "TOKEN" }
		o.Tools = func(context.Context, ToolScope) (Toolbox, error) {
			return Toolbox{Guard: denies("write"), Find: func(name string) []tools.Tool { return []tools.Tool{echo{name}} }}, nil
		}
		o.Price = func(model string, u providers.Usage) (float64, bool) {
			return float64(u.Total()), !strings.HasPrefix(model, "unpriced/")
		}
		o.Observe = p.observe
		for _, change := range options {
			change(o)
		}
	}
	r, err := p.try(p.file("flow.yaml"))
	for _, lines := range [][]string{p.asks, p.warned} {
		slices.Sort(lines)
		p.said.WriteString(strings.Join(lines, ""))
	}
	p.asks, p.warned = nil, nil
	p.came(r, err)
	if err == nil && !strings.Contains(strings.Join(words, " "), "full=") {
		p.readAgain()
	}
}

// denies is a guard that denies calls of the tool.
type denies string

func (d denies) Decide(_ context.Context, tool string, _ json.RawMessage) tools.Decision {
	if tool == string(d) {
		return tools.Decision{Verdict: tools.Deny, Rule: tool}
	}
	return tools.Decision{Verdict: tools.Allow}
}

func (denies) Offered(string) bool { return true }

// observe notes what is told while the run goes on.
func (p *playedRun) observe(e Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e.Type {
	case steps.Warning:
		p.warned = append(p.warned, fmt.Sprintf("warned: %s\n", e.Message))
	case steps.Retry:
		fmt.Fprintf(&p.said, "%v waits %v: %s\n", e.Unit, e.Wait, e.Event.Error)
	}
}

var attempts = regexp.MustCompile(`~\d+`)

// act is what the model does.
func (p *playedRun) act(ctx context.Context, req providers.Request) (m providers.Message, err error) {
	p.mu.Lock()
	who := attempts.ReplaceAllString(req.Conversation, "")
	acts := strings.Split(req.Prompt, " | ")
	act := acts[min(p.asked[who], len(acts)-1)]
	p.asked[who]++
	if asks := fmt.Sprintf("asked by %s\n", strings.TrimSuffix(req.Conversation, "~1")); p.beside {
		p.asks = append(p.asks, asks)
	} else {
		p.said.WriteString(asks)
	}
	p.mu.Unlock()
	if wait, is := strings.CutPrefix(act, "~"); is {
		wait, then, _ := strings.Cut(wait, " ")
		d, err := time.ParseDuration(wait)
		p.must(err)
		select {
		case <-time.After(d):
		case <-ctx.Done():
			return m, ctx.Err()
		}
		act = cmp.Or(then, "after "+wait)
	}
	switch rest := act[min(1, len(act)):]; {
	case strings.HasPrefix(act, "!"):
		kind, message, _ := strings.Cut(rest, " ")
		return m, &providers.Error{Kind: providers.Kind(kind), Message: message}
	case strings.HasPrefix(act, ">"):
		m = calls(rest)
	case strings.HasPrefix(act, "^"):
		p.cancel(errors.New("interrupted by SIGINT"))
		if rest == "" {
			<-ctx.Done()
			return m, ctx.Err()
		}
		m = says(rest)
	default:
		m = says(act)
	}
	m.Usage = providers.Usage{InputTokens: 5, OutputTokens: 5}
	return m, nil
}

// came notes what a run came to.
func (p *playedRun) came(r *Result, err error) {
	if err != nil {
		fmt.Fprintf(&p.said, "nothing ran\n%s", toldError(asError(err)))
		return
	}
	for _, s := range r.Steps {
		fmt.Fprintf(&p.said, "%s %s", s.Path(), toldResult(&s.Result))
		for e, err := range s.Elements() {
			if err != nil {
				fmt.Fprintf(&p.said, "  %v\n", err)
				continue
			}
			fmt.Fprintf(&p.said, "  %v %s", e.Item, toldResult(&e.Result))
		}
	}
	cost := "cost unknown"
	if r.Cost.Known {
		cost = fmt.Sprintf("%v USD", r.Cost.USD)
	}
	fmt.Fprintf(&p.said, "%s, %d tokens, %s\n", r.Status, r.Usage.Total(), cost)
	if r.Error != nil {
		fmt.Fprintf(&p.said, "%v %s", r.Error.Unit, toldError(&r.Error.Error))
	}
	for _, value := range r.Outputs {
		fmt.Fprintf(&p.said, "%s = %s\n", value.Name, Text(value.Value))
	}
}

func toldResult(r *steps.Result) string {
	text := string(r.Status)
	if r.Error != nil {
		text += fmt.Sprintf(" (%s: %s)", r.Error.Kind, r.Error.Message)
	}
	if r.Text != "" {
		text += fmt.Sprintf(": %.60q", r.Text)
	}
	return text + "\n"
}

func toldError(err *steps.Error) string {
	text := fmt.Sprintf("%s: %s\n", err.Kind, err.Message)
	if err.Hint != "" {
		text += "hint: " + err.Hint + "\n"
	}
	if err.Option != "" {
		text += "option: " + err.Option + "\n"
	}
	return text
}

// hasNoSecret checks that the secret is in no file of the run.
func (p *playedRun) hasNoSecret() {
	p.t.Helper()
	p.must(filepath.WalkDir(filepath.Join(p.dir, "run"), func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && entry.Type().IsRegular() {
			var text []byte
			if text, err = os.ReadFile(path); strings.Contains(string(text), tokenValue) {
				p.t.Errorf("%s has the secret: %s", path, text)
			}
		}
		return err
	}))
}
