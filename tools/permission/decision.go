package permission

import (
	"encoding/json"
	"fmt"
)

// Call is what a model wants to do.
type Call struct {
	// Tool is the name that the model used; for an MCP tool the full one,
	// server_tool.
	Tool string
	// Server and MCPTool are the two parts of an MCP tool's name. When they
	// are empty they are looked up in Config.MCP.
	Server, MCPTool string
	// Input holds the arguments, a JSON object. The tool has to read the same
	// bytes.
	Input json.RawMessage
	// Dir is where a relative path starts, itself from Config.Dir when it is
	// relative.
	Dir string
}

// Decision is the answer to a call.
type Decision struct {
	Verdict Verdict `json:"decision"`
	// Never says that no rule can allow the call.
	Never bool `json:"never,omitempty"`
	// Rule is the rule that decided, with its tool: "write: src/**". It is
	// empty where none did.
	Rule string `json:"rule,omitempty"`
	// Reason is a sentence for the model and the user.
	Reason string `json:"reason,omitempty"`
	// Parts are the parts of a shell command in order, each with the rule that
	// decided it.
	Parts []Part `json:"parts,omitempty"`
	// Path is the canonical path of a file call, or the normal form of a URL.
	// The tool has to use it in place of what the model wrote.
	Path string `json:"path,omitempty"`
}

// Part is a part of a shell command: a simple command, a redirect, or a
// construct such as a function definition.
type Part struct {
	Source  string  `json:"source"`
	Verdict Verdict `json:"decision"`
	Never   bool    `json:"never,omitempty"`
	Rule    string  `json:"rule,omitempty"`
	Reason  string  `json:"reason,omitempty"`
}

// finding is the verdict of one domain on one thing.
type finding struct {
	verdict Verdict
	refused bool
	rule    string
	reason  string
}

// refused returns the finding that no rule changes.
func refused(reason string) finding {
	return finding{verdict: Deny, refused: true, reason: reason}
}

// stricter reports whether f has to replace g.
func (f finding) stricter(g finding) bool {
	if f.verdict != g.verdict {
		return f.verdict < g.verdict
	}
	return f.refused && !g.refused
}

// strictest returns the strictest finding, the first of equally strict ones. Without any
// it denies.
func strictest(all []finding) finding {
	if len(all) == 0 {
		return finding{reason: "nothing judged the call"}
	}
	out := all[0]
	for _, f := range all[1:] {
		if f.stricter(out) {
			out = f
		}
	}
	return out
}

func (f finding) decision() Decision {
	return Decision{Verdict: f.verdict, Never: f.refused, Rule: f.rule, Reason: f.reason}
}

// Verdict is what becomes of a call. The zero value denies.
type Verdict uint8

// The verdicts, strictest first: the least of several is the one that counts.
const (
	Deny Verdict = iota
	Ask
	Allow
)

// String returns the word that rules use.
func (v Verdict) String() string {
	switch v {
	case Allow:
		return "allow"
	case Ask:
		return "ask"
	}
	return "deny"
}

// by returns the reason of a verdict that a rule has.
func (v Verdict) by(rule string) string {
	does := map[Verdict]string{Deny: "denies it", Ask: "asks for approval", Allow: "allows it"}
	return fmt.Sprintf("the rule %q %s", rule, does[v])
}

// MarshalText returns the word that rules use.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// ParseVerdict reads the word of a rule.
func ParseVerdict(s string) (Verdict, error) {
	for _, v := range []Verdict{Deny, Ask, Allow} {
		if s == v.String() {
			return v, nil
		}
	}
	return Deny, fmt.Errorf("verdict %q: want allow, ask or deny", s)
}
