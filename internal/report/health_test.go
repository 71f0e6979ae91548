package report_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/internal/scaffold"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/tools/permission"
)

func TestHealth(t *testing.T) {
	h := host.Health{Level: host.LevelNone, WhyNot: []string{"held: no user namespaces"}, Parts: []host.Part{
		{Area: "program", Name: "bash", State: host.PartOK, Detail: "5.2"},
		{Area: "key", Name: "openai\x1b", State: host.PartMissing, Detail: "OPENAI_API_KEY is not set"},
		{Area: "server", Name: "github", State: host.PartMissing, Detail: "no such program"},
	}}
	want := `Models' commands: none: only the permission rules limit them
  not held: no user namespaces

program  bash        ok       5.2
key      openai\x1b  missing  OPENAI_API_KEY is not set
server   github      missing  no such program
`
	if diff := cmp.Diff(want, report.Health(h)); diff != "" {
		t.Errorf("health (-want +got):\n%s", diff)
	}
}

// The parts of a command are listed if there are several, with why one is not allowed.
func TestExplanation(t *testing.T) {
	allowed := permission.Decision{Verdict: permission.Allow, Rule: "bash: allow git *", Reason: "it only reads"}
	denied := permission.Decision{Verdict: permission.Deny, Reason: "it writes", Never: true, Path: "/w/.git/config"}
	of := func(d permission.Decision, parts ...permission.Part) string {
		d.Parts = parts
		return report.Explanation{Judgement: host.Judgement{Decision: d, Agent: "a\x1b"}}.Text()
	}
	if got, want := of(allowed, permission.Part{Source: "git log"}), "allow\nrule:   bash: allow git *\nreason: it only reads\nagent:  a\\x1b\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	want := `deny
rule:   no rule can allow it
reason: it writes
path:   /w/.git/config
agent:  a\x1b
  allow git log  (bash: allow git *)
  deny  tee .git/config: it writes
`
	if diff := cmp.Diff(want, of(denied, permission.Part{Source: "git log", Decision: permission.Decision{Verdict: permission.Allow, Rule: allowed.Rule, Reason: allowed.Reason}}, permission.Part{Source: "tee .git/config", Decision: permission.Decision{Reason: denied.Reason}})); diff != "" {
		t.Errorf("explanation (-want +got):\n%s", diff)
	}
}

func TestMade(t *testing.T) {
	made := &scaffold.Made{Written: []string{"flow.yaml"}, Kept: []string{".gitignore"}}
	want := "wrote flow.yaml\nkept .gitignore, which was there\n"
	if got := report.Made(made, "."); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := report.Made(&scaffold.Made{}, "new"), "next: cd new\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	kinds := report.Kinds()
	for _, k := range scaffold.Kinds() {
		if !strings.Contains(kinds, "  "+k.Name+" ") || !strings.Contains(kinds, " "+k.About+"\n") {
			t.Errorf("%s is not in\n%s", k.Name, kinds)
		}
	}
}
