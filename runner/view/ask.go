package view

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/a-seed-11b9befa/flow/internal/term"
)

// The reasons for which a call whose rule is ask is denied without an answer.
const (
	// Unasked is the reason where nobody could be asked.
	Unasked = "nobody is there to be asked"

	// Unseen is the reason where [Question] has none.
	Unseen = "the call is too long to be shown whole, and what is not seen is not agreed to"
)

// WasUnasked reports whether the rule of a denied call says that nobody could be asked.
func WasUnasked(rule string) bool { return strings.HasSuffix(rule, Unasked) }

// mostQuestion bounds, in characters, what of a call is shown.
const mostQuestion = 4000

// Question is what somebody is asked about a call: it names the workflow, the
// place, which may be "", and the rule, and has the call whole, on one line. It is
// "" where the call is too long for that.
func Question(workflow, place, tool string, arguments json.RawMessage, rule string) string {
	call := term.Visible(tool) + " " + term.Visible(string(arguments))
	if utf8.RuneCountInString(call) > mostQuestion {
		return ""
	}
	text := term.Visible(workflow)
	if place != "" {
		text += ": " + term.Visible(place)
	}
	text += " asks for\n  " + call + "\n"
	if rule != "" {
		text += "  asked for by the rule " + term.Visible(rule) + "\n"
	}
	return text
}
