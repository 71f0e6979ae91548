package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/internal/known"
	"github.com/a-seed-11b9befa/flow/tools"
)

// anyArguments is the schema for a tool whose own can't be used: only the server checks the
// arguments.
const anyArguments = `{"type":"object","properties":{},"additionalProperties":true}`

// adopt replaces the list of tools by what the server has announced. It leaves out tools that can't
// be offered: one that services refuse would fail every request.
func (s *Server) adopt(announced []*sdk.Tool) {
	given := map[string][]string{} // the server's own names, by those that are offered
	var list []*tool
	for _, t := range announced {
		name := s.o.Name + "_" + known.PlainToolName(t.Name)
		if slices.Contains(given[name], t.Name) {
			s.warnOnce("announces the tool %q twice: the first one is used", shown(s.o.Mask, t.Name, 200))
			continue
		}
		given[name] = append(given[name], t.Name)
		if made, problem := s.newTool(t, name); problem == "" {
			list = append(list, made)
		} else {
			s.warnOnce("announces the tool %q, which is left out: %s", shown(s.o.Mask, t.Name, 200), problem)
		}
	}
	list = slices.DeleteFunc(list, func(t *tool) bool {
		names := given[t.spec.Name]
		if len(names) > 1 {
			s.warnOnce("announces tools that are all called %q here, so that none of them is used: %s", t.spec.Name, some(names))
		}
		return len(names) > 1
	})
	if s.list != nil || s.starts > 1 {
		if changed := changedTools(s.list, list); len(changed) > 0 {
			s.warnOnce("has changed its tools (%s); steps that run keep those they have", some(changed))
		}
	}
	s.list = list
}

// newTool returns the tool for an announcement, or why it can't be offered.
func (s *Server) newTool(announced *sdk.Tool, name string) (made *tool, problem string) {
	switch {
	case !known.IsToolName(name) && len(name) <= known.MaxToolName:
		return nil, "its name may have letters, digits, _, - and . only"
	case len(name) > known.MaxPortableToolName:
		return nil, fmt.Sprintf("its name and the server's are longer than %d characters together", known.MaxPortableToolName-1)
	}
	schema, unchecked, ok := parameters(s.o.Mask, announced.InputSchema)
	if !ok {
		return nil, "its schema describes no object, refers to something that is not in it, or combines too much"
	}
	description := strings.TrimSpace(announced.Description)
	if description == "" {
		description = announced.Title
	}
	if unchecked != "" {
		s.warnOnce("announces the tool %q with a schema that can't be used, so its arguments are not checked: %s", announced.Name, unchecked)
	}
	return &tool{
		server: s, name: announced.Name,
		readOnly: announced.Annotations != nil && announced.Annotations.ReadOnlyHint,
		spec:     tools.Spec{Name: name, Description: shown(s.o.Mask, description, maxDescription), Parameters: schema},
	}, ""
}

// tooLong says why a schema is not used, or what has become of it.
var tooLong = fmt.Sprintf("it is longer than %d bytes", maxSchema)

// parameters returns the schema for the arguments of a tool, and why that is not the given one if
// the arguments are not checked; ok is false if the tool can't be offered.
func parameters(mask *tools.Mask, given any) (schema json.RawMessage, unchecked string, ok bool) {
	if given == nil || given == true {
		return json.RawMessage(anyArguments), "", true
	}
	if text, err := jsonline.Encode(given); err == nil && len(text) > maxSchema {
		return json.RawMessage(anyArguments), tooLong, true
	}
	object, isMap := given.(map[string]any)
	if isMap {
		object, isMap = foldSchema(object)
	}
	if !isMap {
		return nil, "", false
	}
	describe(mask, object)
	schema, err := jsonline.Encode(object)
	switch {
	case err != nil:
		unchecked = err.Error()
	case len(schema) > maxSchema:
		unchecked = tooLong
	default:
		if _, err := tools.CompileSchema(schema); err != nil {
			unchecked = shown(mask, err.Error(), 500)
		}
	}
	if unchecked != "" {
		schema = json.RawMessage(anyArguments)
	}
	return schema, unchecked, true
}

// describe passes the texts in a schema through shown, and gives each array its items, without
// which services refuse it. Values with which arguments are compared stay as they are. The nesting
// was limited when the message was read.
func describe(mask *tools.Mask, schema any) {
	switch v := schema.(type) {
	case map[string]any:
		if v["type"] == "array" && v["items"] == nil {
			v["items"] = map[string]any{}
		}
		for key, inner := range v {
			text, isText := inner.(string)
			switch {
			case isText && (key == "description" || key == "title" || key == "$comment"):
				v[key] = shown(mask, text, 2<<10)
			case key != "enum" && key != "const" && key != "default" && key != "examples":
				describe(mask, inner)
			}
		}
	case []any:
		for _, inner := range v {
			describe(mask, inner)
		}
	}
}

// changedTools returns the names of tools that are new, described anew or gone.
func changedTools(old, now []*tool) (names []string) {
	said := func(t *tool) string { return t.spec.Description + "\x00" + string(t.spec.Parameters) }
	before := map[string]string{}
	for _, t := range old {
		before[t.name] = said(t)
	}
	for _, t := range now {
		if words, known := before[t.name]; !known || words != said(t) {
			names = append(names, t.name)
		}
		delete(before, t.name)
	}
	return append(names, slices.Sorted(maps.Keys(before))...)
}

// some formats the first few names.
func some(names []string) string {
	const few = 8
	if len(names) > few {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:few], ", "), len(names)-few)
	}
	return strings.Join(names, ", ")
}
