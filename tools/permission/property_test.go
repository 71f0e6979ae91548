package permission

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/testkit"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/address"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
)

// FuzzDecide holds the properties that no command may break: an answer in
// bounded time, whether commands are held or not; more rules of the strict kind, and more domains, never loosen
// it; the order of rules is nothing to it.
func FuzzDecide(f *testing.F) {
	for _, c := range shellCases(f) {
		f.Add(c.command, uint64(len(c.command)))
	}
	m := newSandbox(f)
	f.Fuzz(func(t *testing.T, command string, seed uint64) {
		checkProperties(t, m, command, rand.New(rand.NewPCG(seed, 1)))
	})
}

// FuzzPaths holds that no path leads a file tool out of what its rules cover.
func FuzzPaths(f *testing.F) {
	for _, s := range []string{"docs/a.md", "../x", "~/x", "a/../..", ".git/config", "//", "a\x00", "docs/up/../x", "docs/l/key.pem", ".ENV", "docs/.x"} {
		f.Add(s)
	}
	m := newSandbox(f)
	m.build(f, []fixtureFile{{Path: "/ws/docs/up", Symlink: ".."}, {Path: "/ws/docs/l", Symlink: "../src"}, {Path: "/ws/out", Symlink: "/outside"}})
	p := build(f, m, Config{}, Rules{"*": only("*", Allow), "write": {{"docs/**", Allow}}, "read": {{"*", Allow}, {"src/**", Deny}}})
	f.Fuzz(func(t *testing.T, text string) {
		if got := p.Decide(fileCall("write", text)); got.Verdict == Allow && !strings.HasPrefix(got.Path, m.path("/ws/docs/")) {
			t.Errorf("%q: may be written at %s", text, got.Path)
		}
		if got := p.Decide(fileCall("read", text)); got.Verdict == Allow {
			if !strings.HasPrefix(got.Path, m.path("/ws/")) || place.IsSecret(got.Path) || strings.HasPrefix(pattern.Fold(got.Path), pattern.Fold(m.path("/ws/src/"))) {
				t.Errorf("%q: may be read at %s", text, got.Path)
			}
			if again := p.Decide(fileCall("read", got.Path)); again.Verdict != Allow || again.Path != got.Path {
				t.Errorf("%q: %s is not where it leads: %v %s", text, got.Path, again.Verdict, again.Path)
			}
		}
	})
}

// FuzzURL holds that a URL has one normal form, that net/url reads that form as
// it is judged, and that rules cover no host but theirs.
func FuzzURL(f *testing.F) {
	for _, s := range []string{
		"https://a.example/x/../y?z", "http://[::1]:80/", "https://ａ.example/%7e", "https://a.example:0443/", "https://a.example./", "https://0x7f.1/", "//",
		"https://a.example\\@b.example/", "https://xn--a.example/%2E%2e/", "HTTPS://A.EXAMPLE:443", "https://b.a.example/%41?#", "https://b%2ea.example/", "http://169.254.169.254/",
	} {
		f.Add(s)
	}
	p := build(f, newSandbox(f), Config{}, Rules{"webfetch": {{"https://a.example/x/**", Allow}, {"https://*.b.example/**", Allow}, {"http://127.0.0.1:8080/*", Allow}}})
	f.Fuzz(func(t *testing.T, text string) {
		a, err := address.Parse(text)
		if err != nil {
			return
		}
		if again, err := address.Parse(a.String()); err != nil || again != a {
			t.Errorf("%q: the normal form %q is not stable: %q, %v", text, a, again, err)
		}
		input, err := json.Marshal(map[string]string{"url": text})
		if err != nil {
			t.Fatal(err)
		}
		got := p.Decide(Call{Tool: "webfetch", Input: input})
		if got.Verdict != Allow {
			return
		}
		u, err := url.Parse(got.Path)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		switch host := u.Host; {
		case u.Scheme == "https" && host == "a.example" && strings.HasPrefix(u.EscapedPath(), "/x/"):
		case u.Scheme == "https" && strings.HasSuffix(host, ".b.example"):
		case u.Scheme == "http" && host == "127.0.0.1:8080":
		default:
			t.Errorf("%q: %s is allowed", text, got.Path)
		}
	})
}

// rulePool are rules of every shape.
func rulePool() []Rule {
	var out []Rule
	for _, pattern := range []string{
		"*", "git *", "git log *", "git log", "rm *", "cat *", "echo *", "env *", "bash -c *", "xargs *", "find *", "* x", "git * x", "FOO=* make *",
		"sort -o *", "g*", "cat .env", "timeout *",
	} {
		for _, v := range []Verdict{Deny, Ask, Allow} {
			out = append(out, Rule{pattern, v})
		}
	}
	return out
}

func checkProperties(t *testing.T, m sandbox, command string, random *rand.Rand) {
	t.Helper()
	pool := rulePool()
	var list []Rule
	for range 1 + random.IntN(6) {
		list = append(list, pool[random.IntN(len(pool))])
	}
	rules := Rules{"bash": list, "write": {{"docs/**", Allow}}, "read": {{"src/**", Deny}, {"*", Allow}}}
	call := bashCall(command)
	held := random.IntN(2) == 0
	config := Config{Held: func() bool { return held }}
	var base Decision
	if took := testkit.CPUTime(func() { base = build(t, m, config, rules).Decide(call) }); took > 5*time.Second {
		t.Errorf("%q: took %v", command, took)
	}
	if base.Never && base.Verdict != Deny {
		t.Errorf("%q: never, and yet %v", command, base.Verdict)
	}

	shuffled := slices.Clone(list)
	random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	if got := build(t, m, config, Rules{"bash": shuffled, "write": rules["write"], "read": rules["read"]}).Decide(call); got.Verdict != base.Verdict {
		t.Errorf("%q: %v with %v, %v with %v", command, base.Verdict, list, got.Verdict, shuffled)
	}
	extra := pool[random.IntN(len(pool))]
	extra.Verdict = Deny
	more := Rules{"bash": append(slices.Clone(list), extra), "write": rules["write"], "read": rules["read"]}
	if got := build(t, m, config, more).Decide(call); got.Verdict > base.Verdict {
		t.Errorf("%q: the deny %q loosened %v to %v (%v)", command, extra.Pattern, base.Verdict, got.Verdict, list)
	}
	other := Rules{"bash": {pool[random.IntN(len(pool))]}, "write": {{"**", Allow}}}
	if got := build(t, m, config, other, rules).Decide(call); got.Verdict > base.Verdict {
		t.Errorf("%q: the domain %v loosened %v to %v (%v)", command, other, base.Verdict, got.Verdict, list)
	}
}

// TestProperties runs the properties over generated commands and all cases.
func TestProperties(t *testing.T) {
	m := newSandbox(t)
	random := rand.New(rand.NewPCG(7, 7))
	for range 500 {
		checkProperties(t, m, grammar{random}.script(3), random)
	}
	for _, c := range shellCases(t) {
		checkProperties(t, m, c.command, random)
	}
}

// TestConcurrent asks one policy from many goroutines; it is for the race
// detector.
func TestConcurrent(t *testing.T) {
	p := usualPolicy(t, newSandbox(t))
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			for range 20 {
				p.Decide(bashCall(fmt.Sprintf("git log -%d | head > docs/x", i)))
				p.Decide(fileCall("read", "README.md"))
				p.Readable("docs/a.md")
				p.Offered("bash")
			}
		})
	}
	wait.Wait()
}
