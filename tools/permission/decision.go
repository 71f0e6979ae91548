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
	// Dir is where a relative path starts, itself from where the step works when it is
	// relative. The zero value is that folder.
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

// Part is a part of a shell command: a simple command, a redirect, or a construct such as a
// function definition.
type Part struct {
	Source string `json:"source"`
	Decision
}

// refused returns the decision that no rule changes.
func refused(reason string) Decision { return Decision{Never: true, Reason: reason} }

// undecided returns the denial where no rule decides.
func undecided(reason string) Decision { return Decision{Reason: reason} }

// allowed returns the decision for what needs no rule.
func allowed(reason string) Decision { return Decision{Verdict: Allow, Reason: reason} }

// stricter reports whether d has to replace other.
func (d Decision) stricter(other Decision) bool {
	return d.Verdict < other.Verdict || d.Verdict == other.Verdict && d.Never && !other.Never
}

// cap returns the stricter of a decision about arguments and one about the tool's name.
func (d Decision) cap(restriction *Decision) Decision {
	if restriction != nil && restriction.stricter(d) {
		return *restriction
	}
	return d
}

// strictest returns the strictest decision, the first of equally strict ones. Without any
// it denies.
func strictest(all ...Decision) Decision {
	if len(all) == 0 {
		return undecided("nothing judged the call")
	}
	out := all[0]
	for _, d := range all[1:] {
		if d.stricter(out) {
			out = d
		}
	}
	return out
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

// by returns the decision of a rule that has the verdict.
func (v Verdict) by(rule string) Decision {
	does := map[Verdict]string{Deny: "denies it", Ask: "asks for approval", Allow: "allows it"}
	return Decision{Verdict: v, Rule: rule, Reason: fmt.Sprintf("the rule %q %s", rule, does[v])}
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
