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
// counts only if it is all there is, or if the text before announces it.
func writtenCall(text string, offered map[string]bool) string {
	text = strings.TrimSpace(text)
	if text == "" || !strings.ContainsRune("`>}]", rune(text[len(text)-1])) {
		return ""
	}
	blocks := fences(text)
	n := len(blocks)
	if n == 0 || blocks[n-1].to < len(text) {
		start := 0
		if n > 0 {
			start = blocks[n-1].to
		}
		return plainCall(text[:start], text[start:], offered)
	}
	first := n - 1 // of the blocks at the end, which have only blanks between them
	for first > 0 && strings.TrimSpace(text[blocks[first-1].to:blocks[first].from]) == "" {
		first--
	}
	if before := text[:blocks[first].from]; !announces(before) {
		return ""
	}
	return blockCall(blocks[n-1].content, offered)
}

// blockCall returns the tool that the whole content of a block calls.
func blockCall(content string, offered map[string]bool) string {
	if name := callInJSON(content); offered[name] {
		return name
	}
	if at := opening().FindStringIndex(content); at != nil && strings.TrimSpace(wrapping().ReplaceAllString(content[:at[0]], "")) == "" {
		return markedCall(content[at[0]:], offered)
	}
	return ""
}

// maxOpenings is how many tags of calls are tried, from the end.
const maxOpenings = 100

// plainCall returns the tool that is called at the end of a text, which is no block of code and
// comes after before.
func plainCall(before, text string, offered map[string]bool) string {
	found := opening().FindAllStringIndex(text, -1)
	for _, at := range found[max(len(found)-maxOpenings, 0):] {
		line := text[strings.LastIndexByte(text[:at[0]], '\n')+1 : at[0]]
		switch {
		case quotes(line) && !announces(before+text[:at[0]-len(line)]):
		case at[1] == len(text) && strings.TrimSpace(line) != "": // a name of a tag in a sentence
		default:
			if name := markedCall(text[at[0]:], offered); name != "" {
				return name
			}
		}
	}
	if at := jsonLine().FindStringIndex(text); at != nil && announces(before+text[:at[0]]) {
		if name := callInJSON(text[at[0]:]); offered[name] {
			return name
		}
	}
	return ""
}

// quotes reports whether the beginning of a line makes it a quotation or a block of code.
func quotes(line string) bool {
	return strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t") || strings.HasPrefix(strings.TrimSpace(line), ">")
}

// onUse is a pattern that is compiled when it is first used: most programs need none of them.
func onUse(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

var (
	intends = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(i['’]ll|i will|i['’]m going to|i am going to|i need to|i have to|i should|let me|let['’]s|let us)\b`)
	})
	shows = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(example|instance|format|syntax|like (this|that|so)|looks? like|such as|written|quote|shown?)\b|\be\.g\.`)
	})
)

// announces reports whether a text is empty, or its last line says what the model does next,
// and not that it shows something.
func announces(text string) bool {
	text = strings.TrimSpace(text)
	line := text[strings.LastIndexByte(text, '\n')+1:]
	return text == "" || intends().MatchString(line) && !shows().MatchString(line)
}

// The tags with which models mark calls: <tool_call>, <invoke name="read">, <function=read>,
// [TOOL_CALLS] …
var (
	opening = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`<[|｜]?(?:[\w-]+[:|｜])?(tool_call|tool_use|function_call|function|invoke|python_tag)\b([^<>]*)>|\[TOOL_CALLS\]`)
	})
	wrapping = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`<[|｜]?(?:[\w-]+[:|｜])?(?:tool_calls?|function_calls?)[|｜]?>`)
	})
	closings = onUse(`(?:\s|</[^<>]*>)*$`)
	argument = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`</(?:[\w-]+:)?(?:parameter|arg_value|arguments|args|tool_calls?|function_calls?)>\s*$`)
	})
	nameOf  = onUse(`=\s*["']?([\w.:/-]+)`)
	nameTag = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*(?:<(?:tool_)?name>\s*)?([\w.:/-]+)[ \t]*(?:[\n{<]|$)`)
	})
	nameKey  = onUse(`^\s*[{\[][^}]*?"name"\s*:\s*"([^"]+)"`)
	jsonLine = onUse(`(?m)^[\[{]`)
)

// markedCall returns the tool that a text calls which begins with an opening tag, if nothing
// comes after the call.
func markedCall(text string, offered map[string]bool) string {
	at := opening().FindStringSubmatchIndex(text)
	body := text[at[1]:]
	tag, attributes := "", ""
	if at[2] >= 0 {
		tag, attributes = text[at[2]:at[3]], text[at[4]:at[5]]
	}
	inner := strings.TrimSpace(body[:closings().FindStringIndex(body)[0]])
	name := callInJSON(inner)
	if m := nameOf().FindStringSubmatch(attributes); m != nil {
		name = m[1]
	}
	for _, form := range []*regexp.Regexp{nameTag(), nameKey()} { // the latter is of what is not quite JSON
		if m := form.FindStringSubmatchIndex(body); m != nil && name == "" {
			name, inner = body[m[2]:m[3]], strings.TrimPrefix(inner, body[m[2]:m[3]])
		}
	}
	if !offered[name] || !endsCall(tag, body, inner) {
		return ""
	}
	return name
}

// endsCall reports whether a call ends with its closing tag, or without any where its arguments
// end. inner is the body without closing tags and the name.
func endsCall(tag, body, inner string) bool {
	if end := strings.LastIndex(body, tag+">"); tag != "" && end >= 0 {
		return closings().FindStringIndex(body[end+len(tag)+1:])[0] == 0
	}
	return inner == "" || json.Valid([]byte(inner)) || argument().MatchString(body)
}

// callInJSON returns the name in the last value of a text that is nothing but calls as JSON;
// else "".
func callInJSON(text string) (name string) {
	for values := json.NewDecoder(strings.NewReader(text)); ; {
		var value any
		if err := values.Decode(&value); errors.Is(err, io.EOF) {
			return name
		} else if name = nameIn(value); err != nil || name == "" {
			return ""
		}
	}
}

func nameIn(value any) string {
	switch v := value.(type) {
	case []any:
		if len(v) > 0 {
			return nameIn(v[len(v)-1])
		}
	case map[string]any:
		for _, around := range []string{"function", "tool_calls"} {
			if inner, ok := v[around]; ok {
				return nameIn(inner)
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
