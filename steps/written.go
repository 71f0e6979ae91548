package steps

import (
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strings"
	"sync"
)

// writtenCall returns the name of the offered tool whose call a text ends with, or "". Models
// write calls as text when they do not know, or their service does not read, the form in which
// tools are called. A call in a block of code, and a plain JSON object, may be an example: it
// counts only if it is all there is.
func writtenCall(text string, offered map[string]bool) string {
	text = strings.TrimSpace(text)
	if blocks := fences(text); len(blocks) == 1 && blocks[0].whole {
		text = strings.TrimSpace(blocks[0].content)
	}
	if text == "" || !strings.ContainsRune(">}]", rune(text[len(text)-1])) {
		return ""
	}
	if name := callInJSON(text); offered[name] {
		return name
	}
	const maxOpenings = 100 // tried, from the end
	found := opening().FindAllStringSubmatchIndex(text, -1)
	for _, at := range found[max(len(found)-maxOpenings, 0):] {
		line := text[strings.LastIndexByte(text[:at[0]], '\n')+1 : at[0]]
		if name := markedCall(text, at); offered[name] && !quotes(line) {
			return name
		}
	}
	return ""
}

// quotes reports whether the beginning of a line makes it a quotation or a block of code.
func quotes(line string) bool {
	return strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t") || strings.HasPrefix(strings.TrimSpace(line), ">")
}

// The tags with which models mark calls: <tool_call>, <invoke name="read">, <function=read>,
// [TOOL_CALLS] …; the name of the tool in a tag, and behind it; and the tags at the end. They are
// compiled when they are first used: most programs need none of them.
var (
	opening  = onUse(`<[|｜]?(?:[\w-]+[:|｜])?(tool_call|tool_use|function_call|function|invoke|python_tag)\b([^<>]*)>|\[TOOL_CALLS\]`)
	nameOf   = onUse(`=\s*["']?([\w.:/-]+)`)
	nameIn   = onUse(`^\s*(?:[{\[][^}]*?"name"\s*:\s*"|<(?:tool_)?name>\s*)?([\w.:/-]+)[ \t]*(?:["\n{<]|$)`)
	closings = onUse(`(?:\s|</[^<>]*>)*$`)
)

func onUse(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// markedCall returns the tool that is called behind an opening tag, if nothing comes after the
// call: it ends with its closing tag, or without any where its arguments end.
func markedCall(text string, at []int) string {
	body, tag, attributes := text[at[1]:], "", ""
	if at[2] >= 0 {
		tag, attributes = text[at[2]:at[3]], text[at[4]:at[5]]
	}
	inner := strings.TrimSpace(body[:closings().FindStringIndex(body)[0]])
	name := nameOf().FindStringSubmatch(attributes)
	if name == nil {
		if name = nameIn().FindStringSubmatch(inner); name == nil {
			return ""
		}
		inner = strings.TrimPrefix(inner, name[1]) // as in read{"path": "a"}
	}
	end := strings.LastIndex(body, tag+">")
	switch {
	case tag != "" && end >= 0 && closings().FindStringIndex(body[end+len(tag)+1:])[0] == 0:
		return name[1]
	case (tag == "" || end < 0) && json.Valid([]byte(inner)):
		return name[1]
	}
	return ""
}

// callInJSON returns the name in the last value of a text that is nothing but calls as JSON;
// else "".
func callInJSON(text string) (name string) {
	for values := json.NewDecoder(strings.NewReader(text)); ; {
		var value any
		if err := values.Decode(&value); errors.Is(err, io.EOF) {
			return name
		} else if name = calledIn(value); err != nil || name == "" {
			return ""
		}
	}
}

func calledIn(value any) string {
	switch v := value.(type) {
	case []any:
		if len(v) > 0 {
			return calledIn(v[len(v)-1])
		}
	case map[string]any:
		for _, around := range []string{"function", "tool_calls"} {
			if inner, ok := v[around]; ok {
				return calledIn(inner)
			}
		}
		if _, describes := v["description"]; describes { // a tool, not a call of it
			return ""
		}
		name, _ := v["name"].(string)
		if isArguments(v["arguments"]) || isArguments(v["parameters"]) {
			return name
		}
	}
	return ""
}

// isArguments reports whether a value can be the arguments of a call: an object, or its text.
func isArguments(value any) bool {
	switch value.(type) {
	case map[string]any, string:
		return true
	}
	return false
}
