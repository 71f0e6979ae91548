package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/internal/toolname"
	"github.com/a-seed-11b9befa/flow/tools"
)

// anyArguments is the schema for a tool whose own can't be used: only the server checks the
// arguments.
const anyArguments = `{"type":"object","additionalProperties":true}`

// adopt replaces the list of tools by what the server has announced. It leaves out tools
// that can't be called by their name.
func (s *Server) adopt(announced []*sdk.Tool) {
	count := map[string]int{}
	for _, t := range announced {
		count[t.Name]++
	}
	var list []*tool
	for _, t := range announced {
		name := s.o.Name + "_" + t.Name
		switch {
		case count[t.Name] > 1:
			s.warnOnce("announces several tools called %q: none of them is used", shown(s.o.Mask, t.Name, 200))
		case !toolname.Valid(name):
			s.warnOnce("announces a tool whose name can't be used: %q", shown(s.o.Mask, t.Name, 200))
		default:
			list = append(list, s.newTool(t, name))
		}
	}
	if s.list != nil || s.starts > 1 {
		s.compare(s.list, list)
	}
	s.list = list
}

// newTool returns the tool for an announcement.
func (s *Server) newTool(announced *sdk.Tool, name string) *tool {
	schema, problem := parameters(s.o.Mask, announced.InputSchema)
	description := strings.TrimSpace(announced.Description)
	if description == "" {
		description = announced.Title
	}
	if problem != "" {
		s.warnOnce("announces the tool %q with a schema that can't be used, so its arguments are not checked: %s", announced.Name, problem)
	}
	return &tool{
		server: s, name: announced.Name,
		readOnly: announced.Annotations != nil && announced.Annotations.ReadOnlyHint,
		spec:     tools.Spec{Name: name, Description: shown(s.o.Mask, description, mostDescription), Parameters: schema},
	}
}

// parameters returns the schema for the arguments of a tool, and what is wrong with the
// given one if that can't be used.
func parameters(mask *tools.Mask, given any) (schema json.RawMessage, problem string) {
	if given == nil {
		return json.RawMessage(anyArguments), ""
	}
	object, ok := given.(map[string]any)
	if !ok {
		return json.RawMessage(anyArguments), "it is no object"
	}
	if kind, named := object["type"]; named && kind != "object" {
		return json.RawMessage(anyArguments), "it does not describe an object"
	}
	describe(mask, object)
	schema, err := jsonline.Encode(object)
	switch {
	case err != nil:
		return json.RawMessage(anyArguments), err.Error()
	case len(schema) > mostSchema:
		return json.RawMessage(anyArguments), fmt.Sprintf("it is longer than %d bytes", mostSchema)
	}
	if _, err := tools.CompileSchema(schema); err != nil {
		return json.RawMessage(anyArguments), shown(mask, err.Error(), 500)
	}
	return schema, ""
}

// describe passes the texts in a schema through shown. Values with which arguments are
// compared stay as they are. The nesting was limited when the message was read.
func describe(mask *tools.Mask, schema any) {
	switch v := schema.(type) {
	case map[string]any:
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

// compare warns of changed tools.
func (s *Server) compare(old, now []*tool) {
	var added, gone, changed []string
	for _, t := range now {
		switch i := slices.IndexFunc(old, func(o *tool) bool { return o.name == t.name }); {
		case i < 0:
			added = append(added, t.name)
		case old[i].spec.Description != t.spec.Description || !bytes.Equal(old[i].spec.Parameters, t.spec.Parameters):
			changed = append(changed, t.name)
		}
	}
	for _, o := range old {
		if !slices.ContainsFunc(now, func(t *tool) bool { return o.name == t.name }) {
			gone = append(gone, o.name)
		}
	}
	var what []string
	for _, c := range []struct {
		verb  string
		names []string
	}{{"new", added}, {"gone", gone}, {"described anew", changed}} {
		if len(c.names) > 0 {
			what = append(what, c.verb+": "+some(c.names))
		}
	}
	if len(what) > 0 {
		s.warnOnce("has changed its tools (%s); steps that run keep those they have", strings.Join(what, "; "))
	}
}

// some formats the first few names.
func some(names []string) string {
	const few = 8
	if len(names) > few {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:few], ", "), len(names)-few)
	}
	return strings.Join(names, ", ")
}
