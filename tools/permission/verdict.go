package permission

import (
	"fmt"
)

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

// ParseVerdict reads the word of a rule.
func ParseVerdict(s string) (Verdict, error) {
	for _, v := range []Verdict{Deny, Ask, Allow} {
		if s == v.String() {
			return v, nil
		}
	}
	return Deny, fmt.Errorf("verdict %q: want allow, ask or deny", s)
}
