package cache

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sourcegraph/conc"

	"github.com/a-seed-11b9befa/flow/providers"
)

// A service answers by count: "answer 1", "answer 2", …
type service struct {
	asked  int
	err    error
	answer func(n int) providers.Message
}

func (*service) Info() providers.Info { return providers.Info{Ref: "p/m", Provider: "p"} }

func (s *service) Stream(context.Context, providers.Request, func(providers.Event)) (providers.Message, error) {
	s.asked++
	if s.answer != nil {
		return s.answer(s.asked), s.err
	}
	return said(fmt.Sprint("answer ", s.asked)), s.err
}

func said(text string) providers.Message {
	return providers.Message{
		Role: providers.RoleAssistant, Provider: "p", Model: "p/m", Finish: providers.FinishStop,
		Blocks: []providers.Block{{Type: providers.BlockText, Text: text}}, Usage: providers.Usage{InputTokens: 3, OutputTokens: 2},
	}
}

func open(t testing.TB, dir string, options Options) *Store {
	t.Helper()
	store, err := Open(dir, options)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

var hello = providers.Request{Messages: []providers.Message{providers.UserText("Hello.")}}

// send returns the text of an answer.
func send(t testing.TB, m providers.Model, req providers.Request) string {
	t.Helper()
	answer, err := m.Stream(context.Background(), req, nil)
	if err != nil {
		t.Fatal(err)
	}
	return answer.Text()
}

func TestAnswersAreKeptToTheByte(t *testing.T) {
	cost := 0.25
	want := providers.Message{
		Role: providers.RoleAssistant, Provider: "p", Model: "p/m", Finish: providers.FinishToolCalls,
		Blocks: []providers.Block{
			{Type: providers.BlockThinking, Raw: json.RawMessage("{ \"signature\" :\"<\\u0041>\"\n}")},
			{Type: providers.BlockText, Text: "a\xffb\u2028<"},
			{Type: providers.BlockToolCall, ID: "c\x00", Name: "read", Arguments: json.RawMessage(` {"n": 12345678901234567890 }`), Raw: json.RawMessage(`{}`)},
		},
		Usage: providers.Usage{InputTokens: 3, ReasoningTokens: 1, Cost: &cost},
	}
	dir := t.TempDir()
	asked := &service{answer: func(int) providers.Message { return want }}
	work := open(t, dir, Options{}).Begin()
	if got, err := work.Keep(asked, EndpointDigest{}).Stream(t.Context(), hello, nil); err != nil || !cmp.Equal(got, want) {
		t.Fatalf("%+v, %v", got, err)
	}
	if err := work.Commit(); err != nil {
		t.Fatal(err)
	}
	var events []providers.Event
	got, err := open(t, dir, Options{Only: true}).Begin().Keep(asked, EndpointDigest{}).Stream(t.Context(), hello, func(e providers.Event) { events = append(events, e) })
	if err != nil || asked.asked != 1 {
		t.Fatalf("asked %d times, error %v", asked.asked, err)
	}
	usage := want.Usage
	want.Usage, want.Saved = providers.Usage{}, &usage
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	text := map[int]string{}
	for _, e := range events {
		text[e.Index] += e.Delta
		if e.Type == providers.BlockFinished && !cmp.Equal(e.Block, want.Blocks[e.Index]) {
			t.Errorf("block %d ends as %+v", e.Index, e.Block)
		}
	}
	if text[1] != want.Blocks[1].Text || text[2] != string(want.Blocks[2].Arguments) || events[0].Type != providers.BlockStarted {
		t.Errorf("events %+v", events)
	}
}

// TestConversations says what each request of a conversation gets.
func TestConversations(t *testing.T) {
	store, asked := open(t, t.TempDir(), Options{}), &service{}
	var work *Conversation
	next := func() string { return send(t, work.Keep(asked, EndpointDigest{}), hello) }
	for i, step := range []struct {
		what string
		do   func()
		want string // of the request that follows
	}{
		{"begin", func() { work = store.Begin() }, "answer 1"},
		{"without a commit nothing is kept", func() { work = store.Begin() }, "answer 2"},
		{"a commit keeps, for others too", func() { check(t, work.Commit()); work = store.Begin() }, "answer 2"},
		{"who asks the same again wants another", func() {}, "answer 3"},
		{"an attempt that was interrupted leaves what was kept", func() { work = store.Begin() }, "answer 2"},
		{"a retry never gets what has failed", func() { work.Discard() }, "answer 4"},
		{"nor what has failed before that", func() { work.Discard() }, "answer 5"},
		{"what has succeeded is kept in its place", func() { check(t, work.Commit()); work = store.Begin() }, "answer 5"},
		{"what has failed is not given to the next run", func() { work.Discard(); work = store.Begin() }, "answer 6"},
	} {
		step.do()
		if got := next(); got != step.want {
			t.Errorf("%d, %s: %s, want %s", i, step.what, got, step.want)
		}
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

func TestWhatIsNotKept(t *testing.T) {
	for name, asked := range map[string]*service{
		"an answer that broke off":          {err: &providers.Error{Kind: providers.KindNetwork}},
		"an answer that was cut off":        {answer: func(int) providers.Message { m := said("a"); m.Finish = providers.FinishLength; return m }},
		"a filtered one":                    {answer: func(int) providers.Message { m := said("a"); m.Finish = providers.FinishContentFilter; return m }},
		"an empty one":                      {answer: func(int) providers.Message { m := said("a"); m.Blocks = nil; return m }},
		"another model's":                   {answer: func(int) providers.Message { m := said("a"); m.Model = "p/other"; return m }},
		"one with a secret":                 {answer: func(int) providers.Message { return said("the key is sk-1") }},
		"one with a secret in what is kept": {answer: func(int) providers.Message { m := said("a"); m.Blocks[0].Raw = json.RawMessage(`"sk-1"`); return m }},
	} {
		dir := t.TempDir()
		store := open(t, dir, Options{Secret: func(text string) bool { return strings.Contains(text, "sk-1") }})
		for range 2 {
			work := store.Begin()
			if _, err := work.Keep(asked, EndpointDigest{}).Stream(t.Context(), hello, nil); !errors.Is(err, asked.err) {
				t.Errorf("%s: %v", name, err)
			}
			check(t, work.Commit())
		}
		if size, err := store.Size(); asked.asked != 2 || size != (Size{}) || err != nil {
			t.Errorf("%s: asked %d times, kept %+v, error %v", name, asked.asked, size, err)
		}
	}
}

func TestOnly(t *testing.T) {
	asked := &service{}
	_, err := open(t, t.TempDir(), Options{Only: true}).Begin().Keep(asked, EndpointDigest{}).Stream(t.Context(), hello, nil)
	if providers.KindOf(err) != providers.KindConfiguration || asked.asked != 0 {
		t.Errorf("asked %d times, error %v", asked.asked, err)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	asked := &service{}
	if _, err := open(t, t.TempDir(), Options{}).Begin().Keep(asked, EndpointDigest{}).Stream(ctx, hello, nil); providers.KindOf(err) != providers.KindCancelled || asked.asked != 0 {
		t.Errorf("asked %d times, error %v", asked.asked, err)
	}
}

// TestFallback: each of several models has its own answers.
func TestFallback(t *testing.T) {
	store := open(t, t.TempDir(), Options{})
	first, second := &service{err: &providers.Error{Kind: providers.KindOverloaded}}, &service{}
	for range 2 {
		work := store.Begin()
		m := providers.Fallback([]providers.Model{work.Keep(first, EndpointDigest{1}), work.Keep(second, EndpointDigest{2})})
		answer, err := m.Stream(t.Context(), hello, func(providers.Event) {})
		if err != nil || answer.Text() != "answer 1" {
			t.Errorf("%+v, %v", answer, err)
		}
		check(t, work.Commit())
	}
	if first.asked != 2 || second.asked != 1 {
		t.Errorf("asked %d and %d times", first.asked, second.asked)
	}
}

func TestAge(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	store := open(t, t.TempDir(), Options{Now: func() time.Time { return now }}).WithMaxAge(30 * time.Hour)
	asked := &service{}
	keep := func() string {
		work := store.Begin()
		defer work.Commit()
		return send(t, work.Keep(asked, EndpointDigest{}), hello)
	}
	for _, step := range []struct {
		passes time.Duration
		want   string
	}{{0, "answer 1"}, {30 * time.Hour, "answer 1"}, {time.Second, "answer 2"}, {-time.Minute, "answer 2"}, {-2 * time.Hour, "answer 3"}} {
		now = now.Add(step.passes)
		if got := keep(); got != step.want {
			t.Errorf("after %s: %s, want %s", step.passes, got, step.want)
		}
	}
}

// TestDamage: whatever becomes of the file, it is a miss, and a warning at most.
func TestDamage(t *testing.T) {
	for name, damage := range map[string]func(string) error{
		"cut":   func(path string) error { return os.Truncate(path, 10) },
		"empty": func(path string) error { return os.Truncate(path, 0) },
		"grown": func(path string) error { return os.Truncate(path, 1<<30) },
		"gone":  os.Remove,
		"flipped": func(path string) error {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text[len(text)/2] ^= 1
			return os.WriteFile(path, text, 0o600)
		},
		"a folder": func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
		"a symlink": func(path string) error {
			return errors.Join(os.Rename(path, path+".moved"), os.Symlink(path+".moved", path))
		},
		"another entry's": func(path string) error {
			store := open(t, filepath.Dir(filepath.Dir(path)), Options{})
			work := store.Begin()
			send(t, work.Keep(&service{}, EndpointDigest{1}), hello)
			return errors.Join(work.Commit(), os.Rename(store.path(keyOf((*service)(nil).Info(), EndpointDigest{1}, hello)), path))
		},
	} {
		t.Run(name, func(t *testing.T) {
			store := open(t, t.TempDir(), Options{})
			work := store.Begin()
			send(t, work.Keep(&service{}, EndpointDigest{}), hello)
			check(t, work.Commit())
			files, err := store.list()
			if err != nil || len(files) != 1 {
				t.Fatalf("%d files, error %v", len(files), err)
			}
			if err := damage(files[0].path); err != nil {
				t.Skip(err)
			}
			asked := &service{asked: 1}
			work = store.Begin()
			if got := send(t, work.Keep(asked, EndpointDigest{}), hello); got != "answer 2" {
				t.Fatal(got)
			}
			want := "answer 2"
			if err := work.Commit(); (err != nil) != (name == "a folder") {
				t.Errorf("error %v", err)
			} else if err != nil {
				want = "answer 3"
			}
			if got := send(t, store.Begin().Keep(asked, EndpointDigest{}), hello); got != want {
				t.Errorf("then %s, want %s", got, want)
			}
		})
	}
}

// TestPrivate: the folder is the user's alone, and nothing of a request is in it.
func TestPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	store := open(t, dir, Options{})
	work := store.Begin()
	req := providers.Request{System: "the system prompt", Messages: []providers.Message{providers.UserText("the question")}}
	send(t, work.Keep(&service{}, DigestOf(providers.Endpoint{APIKey: "sk-secret", BaseURL: "http://user:pass@h"})), req)
	check(t, work.Commit())
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		for _, word := range []string{"system prompt", "question", "sk-secret", "pass"} {
			if strings.Contains(string(text), word) {
				t.Errorf("%s holds %q", path, word)
			}
		}
		return err
	})
	check(t, err)
	if _, err := Open(filepath.Join(dir, "trim.txt", "x"), Options{}); err != nil {
		t.Log(err)
	}
}

func TestOpenNoFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f")
	check(t, os.WriteFile(file, nil, 0o600))
	for _, dir := range []string{file, filepath.Join(file, "x")} {
		if _, err := Open(dir, Options{}); err == nil {
			t.Errorf("%s is opened", dir)
		}
	}
}

func TestTrim(t *testing.T) {
	store := open(t, t.TempDir(), Options{})
	asked := &service{}
	for i := range 3 {
		work := store.Begin()
		send(t, work.Keep(asked, EndpointDigest{byte(i)}), hello)
		check(t, work.Commit())
		files, err := store.list()
		check(t, err)
		for _, f := range files { // each is an hour older than the one after it
			check(t, os.Chtimes(f.path, f.used.Add(-time.Hour), f.used.Add(-time.Hour)))
		}
	}
	whole, err := store.Size()
	if err != nil || whole.Answers != 3 {
		t.Fatalf("%+v, %v", whole, err)
	}
	for _, c := range []struct {
		unused time.Duration
		most   int64
		want   int
	}{{10 * time.Hour, whole.Bytes, 3}, {150 * time.Minute, whole.Bytes, 2}, {10 * time.Hour, whole.Bytes/3 + 10, 1}, {0, 0, 0}} {
		check(t, store.Trim(c.unused, c.most))
		if size, err := store.Size(); size.Answers != c.want || size.Bytes > c.most || err != nil {
			t.Errorf("%s, %d bytes: %+v, %v; want %d answers", c.unused, c.most, size, err, c.want)
		}
	}
	if got := send(t, store.Begin().Keep(asked, EndpointDigest{2}), hello); got != "answer 4" {
		t.Errorf("%s is given after it was removed", got)
	}
}

// TestManyAtOnce has several stores in one folder, in this process and in others.
func TestManyAtOnce(t *testing.T) {
	dir := os.Getenv("KEPT_TEST_DIR")
	if dir == "" {
		dir = t.TempDir()
		var others conc.WaitGroup
		defer others.Wait()
		for range 2 {
			others.Go(func() {
				other := exec.Command(os.Args[0], "-test.run=^TestManyAtOnce$")
				other.Env = append(os.Environ(), "KEPT_TEST_DIR="+dir)
				if out, err := other.CombinedOutput(); err != nil {
					t.Errorf("%v: %s", err, out)
				}
			})
		}
	}
	var workers conc.WaitGroup
	defer workers.Wait()
	for range 4 {
		store := open(t, dir, Options{})
		workers.Go(func() {
			for i := range 50 {
				work := store.Begin()
				req := providers.Request{System: fmt.Sprint(i % 5), Messages: hello.Messages}
				m := work.Keep(&service{answer: func(int) providers.Message { return said(strings.Repeat(req.System, 1000)) }}, EndpointDigest{})
				if got := send(t, m, req); got != strings.Repeat(req.System, 1000) {
					t.Errorf("%q is answered with %q", req.System, got)
				}
				check(t, work.Commit())
			}
		})
	}
}

// A limit of the answer's length is not part of the request: it depends on what is left of a budget. An
// answer that is longer is none to that request.
func TestAnswersWithinALimit(t *testing.T) {
	dir, asked := t.TempDir(), &service{} // each answer has 2 tokens
	limited := func(most int) providers.Request {
		req := hello
		req.Params.MaxOutputTokens = most
		return req
	}
	work := open(t, dir, Options{}).Begin()
	send(t, work.Keep(asked, EndpointDigest{}), limited(7))
	if err := work.Commit(); err != nil {
		t.Fatal(err)
	}
	for most, want := range map[int]bool{0: true, 1: false, 2: true, 100: true} {
		m := open(t, dir, Options{}).Begin().Keep(asked, EndpointDigest{})
		if got := providers.Cached(m, limited(most)); got != want {
			t.Errorf("with a limit of %d the answer counts: %t, want %t", most, got, want)
		}
		if answer := send(t, m, limited(most)); (answer == "answer 1") != want {
			t.Errorf("with a limit of %d: %s", most, answer)
		}
	}
	if only := open(t, dir, Options{Only: true}).Begin().Keep(asked, EndpointDigest{}); !providers.Cached(only, limited(1)) {
		t.Error("a request that may not be made is not cached")
	}
}
