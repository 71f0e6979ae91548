package steps

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/tools"
)

// form is how the result of an agent is asked for and read. A model that obeys
// [providers.Request.Output] is asked for a text; any other is offered a tool that takes the
// result.
type form struct {
	Output
	tool    string          // the tool that takes the result, or ""
	native  bool            // the model obeys a schema in the request
	sent    json.RawMessage // the schema for the model: always of an object
	wrapped bool            // the result is the property "result" of that object

	hide func(text string) string // see [Output.read]
}

// newForm returns the form. used are the names of the step's own tools.
func newForm(o Output, native bool, used map[string]bool) form {
	f := form{Output: o}
	if o.Kind != OutputSchema {
		return f
	}
	f.native = native
	f.sent, f.wrapped = objectSchema(o.Source)
	if native {
		return f
	}
	return f.byTool(used)
}

// byTool returns the form with a tool that takes the result.
func (f form) byTool(used map[string]bool) form {
	f.native = false
	for f.tool = "final_result"; used[f.tool]; {
		f.tool += "_"
	}
	return f
}

// objectSchema returns the schema if it is that of an object, which is all that models
// accept, and else the schema of an object around it.
func objectSchema(source json.RawMessage) (schema json.RawMessage, wrapped bool) {
	var root map[string]json.RawMessage
	if json.Unmarshal(source, &root) != nil || string(root["type"]) == `"object"` {
		return source, false
	}
	around := map[string]any{"type": "object", "required": []string{"result"}, "additionalProperties": false}
	for _, shared := range []string{"$defs", "definitions"} { // references start at the root
		if defs, ok := root[shared]; ok {
			around[shared] = defs
			delete(root, shared)
		}
	}
	around["properties"] = map[string]any{"result": root}
	text, _ := jsonline.Encode(around) // decoded from JSON
	return text, true
}

// spec returns the tool that takes the result.
func (f form) spec() providers.ToolSpec {
	return providers.ToolSpec{
		Name:        f.tool,
		Description: "Hands in the final result of the whole task. Call it once, alone, when everything else is done.",
		Parameters:  f.sent,
	}
}

// shape adds to a request how to give the result.
func (f form) shape(req *providers.Request) {
	if f.native {
		req.Output = &providers.Output{Name: "result", Schema: f.sent}
	}
	if f.tool != "" {
		req.Tools, req.Result = append(req.Tools, f.spec()), f.tool
	}
}

// close changes a request so that the model can only give the result.
func (f form) close(req *providers.Request) {
	if f.tool != "" {
		req.Force = f.tool
		return
	}
	req.NoTools = true
}

// found is the text of a result, and its value.
type found struct {
	text  string
	value any
}

// find returns the result in an answer: in the last call that submits one, or in the text. An
// error is for the model.
func (f form) find(answer providers.Message) (found, error) {
	for _, call := range slices.Backward(answer.Calls()) {
		if f.submits(call) {
			return f.parse(string(call.Arguments))
		}
	}
	text := answer.Text()
	if !f.structured() {
		value, err := f.read(text, f.hide)
		return found{text, value}, err
	}
	return f.parse(unfenced(text))
}

// ignored reports whether an answer shows that the service ignores the schema: with it the
// answer could only be JSON.
func (f form) ignored(answer providers.Message) bool {
	text := answer.Text()
	return f.native && text != "" && !json.Valid([]byte(unfenced(text)))
}

// submits reports whether a call submits the result.
func (f form) submits(call providers.Block) bool {
	return f.tool != "" && call.Name == f.tool
}

// parse reads the result with the object around it or without, which models that don't see
// the schema leave out.
func (f form) parse(text string) (found, error) {
	if inner, ok := f.unwrap(text); ok {
		if value, err := f.read(inner, f.hide); err == nil {
			return found{inner, value}, nil
		}
	}
	value, err := f.read(text, f.hide)
	return found{text, value}, err
}

// unwrap returns the result in the object around it.
func (f form) unwrap(text string) (string, bool) {
	var around map[string]json.RawMessage
	if !f.wrapped || json.Unmarshal([]byte(text), &around) != nil || len(around) != 1 {
		return "", false
	}
	inner, ok := around["result"]
	return string(inner), ok
}

// instruction tells the model how to give the result.
func (f form) instruction() string {
	switch {
	case f.tool != "":
		return "call " + f.tool
	case f.structured():
		return "as JSON and nothing else"
	}
	return "in words"
}

// correct tells the model what is wrong with its result.
func (f form) correct(problem error) string {
	if f.tool != "" {
		return fmt.Sprintf("Not taken: %v. Call %s again with a result that fits.", problem, f.tool)
	}
	return fmt.Sprintf("Not taken: %v. Give the whole result again, corrected, as JSON and nothing else.", problem)
}

// ack returns the answer to a call that submits a result.
func (f form) ack(problem error) tools.Answer {
	if problem != nil {
		return refusal(f.correct(problem))
	}
	return tools.Answer{Status: tools.Succeeded, Content: "Taken."}
}

// submit answers the calls that submit a result, of which the last one counts. None does if
// another call of the turn failed, which the model has not seen yet.
func (d *dialogue) submit(t *turn, calls []*call) {
	failed := t.refused || slices.ContainsFunc(t.calls, func(c Called) bool { return c.Status != tools.Succeeded })
	last := true
	for _, c := range slices.Backward(calls) {
		switch {
		case !c.submits:
			continue
		case failed:
			c.answer = refusal("Not taken: another call of this turn did not succeed. See to that first, then hand in the result again.")
		case last:
			_, problem := d.form.find(t.answer)
			c.answer, t.submitted = d.form.ack(problem), true
		default:
			c.answer = refusal("Not taken: a later call hands in the result, too.")
		}
		last = false
	}
}
