package providertest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
)

// Google is the dialect of Gemini 3 at generateContent. It signs the first call
// of each answer, and remembers what it signed: a signature must come back with
// the part that it came with. The zero Google is ready to use.
type Google struct {
	// Older is for the models before Gemini 3, whose calls have no ids and need no
	// signature.
	Older bool

	// SignsText ends each text with an empty, signed part.
	SignsText bool

	memory // of the parts that signatures stand on
}

// skipSignature is the signature of the first call in an answer that is not Gemini's.
const skipSignature = "skip_thought_signature_validator"

type googleRequest struct {
	System     googleContent   `json:"systemInstruction"`
	Contents   []googleContent `json:"contents"`
	ToolConfig struct {
		Calling struct {
			Mode    string   `json:"mode"`
			Allowed []string `json:"allowedFunctionNames"`
		} `json:"functionCallingConfig"`
	} `json:"toolConfig"`
	Tools []struct {
		Functions []googleFunction `json:"functionDeclarations"`
	} `json:"tools"`
	Generation struct {
		MimeType   string          `json:"responseMimeType"`
		Schema     json.RawMessage `json:"responseSchema"`
		JSONSchema json.RawMessage `json:"responseJsonSchema"`
	} `json:"generationConfig"`
}

type googleFunction struct {
	providers.ToolSpec
	Schema json.RawMessage `json:"parametersJsonSchema"`
}

type googleContent struct {
	Role  string            `json:"role"`
	Parts []json.RawMessage `json:"parts"`
}

type googlePart struct {
	Text    *string `json:"text"`
	Thought bool    `json:"thought"`
	Call    *struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
	Result *struct {
		ID       string                     `json:"id"`
		Name     string                     `json:"name"`
		Response map[string]json.RawMessage `json:"response"`
	} `json:"functionResponse"`
	Signature string `json:"thoughtSignature"`

	Code       json.RawMessage `json:"executableCode"`
	CodeResult json.RawMessage `json:"codeExecutionResult"`
}

// Locate reads from the path the model, and whether the answer is streamed.
func (g *Google) Locate(u *url.URL, asked *Asked) error {
	name, method, _ := strings.Cut(u.Path[strings.LastIndex(u.Path, "/")+1:], ":")
	if u.Query().Has("key") {
		return fmt.Errorf("a key in the URL")
	}
	asked.Model = name
	asked.Stream = method == "streamGenerateContent" && u.Query().Get("alt") == "sse"
	return nil
}

// Read parses a request.
func (g *Google) Read(body []byte) (Asked, error) {
	var r googleRequest
	if err := json.Unmarshal(body, &r); err != nil {
		return Asked{}, err
	}
	asked := Asked{Choice: r.choice(), Schema: len(r.Generation.Schema)+len(r.Generation.JSONSchema) > 0}
	if asked.Schema && r.Generation.MimeType != "application/json" {
		return Asked{}, fmt.Errorf("a schema of the response, whose type is %q", r.Generation.MimeType)
	}
	for _, raw := range r.System.Parts {
		p, err := readGooglePart(raw)
		if err != nil || p.Text == nil {
			return Asked{}, fmt.Errorf("systemInstruction: %s", raw)
		}
		asked.System += *p.Text
	}
	for _, tool := range r.Tools {
		for _, f := range tool.Functions {
			if err := asked.offer(f.ToolSpec, len(f.Schema) == 0 || f.Schema[0] == '{'); err != nil {
				return Asked{}, err
			}
		}
	}
	reader := googleReader{dialect: g, asked: &asked}
	return asked, reader.read(r.Contents)
}

func (r googleRequest) choice() string {
	calling := r.ToolConfig.Calling
	switch {
	case calling.Mode == "ANY" && len(calling.Allowed) == 1:
		return calling.Allowed[0]
	case calling.Mode == "ANY":
		return "required"
	case calling.Mode == "NONE":
		return "none"
	}
	return "auto"
}

// readGooglePart refuses a part that is not exactly one thing.
func readGooglePart(raw json.RawMessage) (googlePart, error) {
	var p googlePart
	if err := json.Unmarshal(raw, &p); err != nil {
		return p, err
	}
	data := 0
	for _, present := range []bool{p.Text != nil, p.Call != nil, p.Result != nil, p.Code != nil, p.CodeResult != nil} {
		if present {
			data++
		}
	}
	switch {
	case data != 1:
		return p, fmt.Errorf("a part with %d of the fields that it may have one of: %s", data, raw)
	case p.Text != nil && *p.Text == "" && p.Signature == "":
		return p, fmt.Errorf("an empty text")
	}
	return p, nil
}

// remember returns a signature for a part, given as JSON.
func (g *Google) remember(data string) string {
	signature := fmt.Sprintf("c2ln+/%04d==", g.next())
	g.keep(signature, data, nil)
	return signature
}

// checkSignature refuses a signature that was not given for this part.
func (g *Google) checkSignature(raw json.RawMessage, p googlePart) error {
	if g.empty() || p.Signature == "" || p.Signature == skipSignature && p.Call != nil && !g.holds(unsigned(raw)) {
		return nil
	}
	data, known := g.text(p.Signature)
	switch {
	case !known:
		return fmt.Errorf("thought signature %q is not valid", p.Signature)
	case data != unsigned(raw):
		return fmt.Errorf("thought signature %q stood on %s, not on %s", p.Signature, data, raw)
	}
	return nil
}

// unsigned returns a part without its signature in a canonical form.
func unsigned(raw json.RawMessage) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return ""
	}
	delete(fields, "thoughtSignature")
	return encoded(fields)
}

// Write writes the stream of an answer: thoughts and text in small pieces, calls whole.
func (g *Google) Write(w io.Writer, reply Reply) {
	for _, piece := range pieces(reply.Thinking) {
		writeGoogle(w, fmt.Sprintf(`{"text": %s, "thought": true}`, encoded(piece)), "")
	}
	for _, piece := range pieces(reply.Text) {
		writeGoogle(w, fmt.Sprintf(`{"text": %s}`, encoded(piece)), "")
	}
	if g.SignsText && reply.Text != "" {
		writeGoogle(w, fmt.Sprintf(`{"text": "", "thoughtSignature": %q}`, g.remember(`{"text":""}`)), "")
	}
	for i, call := range reply.Calls {
		data := g.call(call)
		if i == 0 {
			signature := g.remember(unsigned(json.RawMessage("{" + data + "}")))
			data += fmt.Sprintf(`,"thoughtSignature": %q`, signature)
		}
		writeGoogle(w, "{"+data+"}", "")
	}
	u := reply.Usage
	writeGoogle(w, `{"text": ""}`, fmt.Sprintf(`, "usageMetadata": {"promptTokenCount": %d, "candidatesTokenCount": %d, "thoughtsTokenCount": %d, "cachedContentTokenCount": %d}`,
		u.InputTokens, u.OutputTokens-u.ReasoningTokens, u.ReasoningTokens, u.CachedInputTokens))
}

// call writes a call, with its arguments as they are.
func (g *Google) call(call Call) string {
	fields := `"name": ` + encoded(call.Name)
	if call.Arguments != "" {
		fields += `, "args": ` + call.Arguments
	}
	if !g.Older {
		fields += `, "id": ` + encoded(call.ID)
	}
	return `"functionCall": {` + fields + `}`
}

// writeGoogle writes an event with one part; end holds the fields that end the stream, if any.
func writeGoogle(w io.Writer, part, end string) {
	finish := ""
	if end != "" {
		finish = `, "finishReason": "STOP"`
	}
	fmt.Fprintf(w, "data: {\"candidates\": [{\"content\": {\"parts\": [%s], \"role\": \"model\"}%s, \"index\": 0}]%s}\n\n", part, finish, end)
}

// A googleReader reads a conversation.
type googleReader struct {
	dialect *Google
	asked   *Asked
	open    []providers.Block // the calls that the next content has to answer
	calls   int               // until now
}

func (r *googleReader) read(contents []googleContent) error {
	last := "model"
	for i, c := range contents {
		if c.Role != "user" && c.Role != "model" || c.Role == last || len(c.Parts) == 0 {
			return fmt.Errorf("content %d of role %q, with %d parts, after one of role %q", i, c.Role, len(c.Parts), last)
		}
		last = c.Role
		var parts []googlePart
		for _, raw := range c.Parts {
			p, err := readGooglePart(raw)
			if err == nil {
				err = r.dialect.checkSignature(raw, p)
			}
			if err != nil {
				return fmt.Errorf("content %d: %w", i, err)
			}
			parts = append(parts, p)
		}
		if err := r.add(c.Role, parts); err != nil {
			return fmt.Errorf("content %d: %w", i, err)
		}
	}
	if last != "user" {
		return fmt.Errorf("the last content is of role %q", last)
	}
	return nil
}

func (r *googleReader) add(role string, parts []googlePart) error {
	if role == "model" {
		return r.addAnswer(parts)
	}
	results := 0
	for results < len(parts) && parts[results].Result != nil {
		results++
	}
	if results != len(r.open) {
		return fmt.Errorf("the number of function response parts (%d) is not equal to the number of function call parts (%d)", results, len(r.open))
	}
	for i, p := range parts[:results] {
		if err := r.addResult(p, r.open[i]); err != nil {
			return err
		}
	}
	r.open = nil
	for _, p := range parts[results:] {
		if p.Text == nil {
			return fmt.Errorf("something else than a text behind the function responses")
		}
		r.asked.Messages = append(r.asked.Messages, providers.UserText(*p.Text))
	}
	return nil
}

// addResult adds a response, which must be in the same place as its call.
func (r *googleReader) addResult(p googlePart, call providers.Block) error {
	id := p.Result.ID
	if id == "" && strings.HasPrefix(call.ID, anonymous) {
		id = call.ID
	}
	if id != call.ID || p.Result.Name != call.Name || len(p.Result.Response) == 0 {
		return fmt.Errorf("a response to %q, id %q, in the place of that to %q, id %q", p.Result.Name, p.Result.ID, call.Name, call.ID)
	}
	var content string
	for _, value := range p.Result.Response {
		if json.Unmarshal(value, &content) != nil {
			content = string(value)
		}
	}
	_, failed := p.Result.Response["error"]
	r.asked.add(providers.RoleTool, providers.Block{Type: providers.BlockToolResult, CallID: id, Name: p.Result.Name, Content: content, Error: failed})
	return nil
}

// addAnswer adds a message of the model. The first of its calls must be signed.
func (r *googleReader) addAnswer(parts []googlePart) error {
	answer := providers.Message{Role: providers.RoleAssistant}
	for _, p := range parts {
		block := providers.Block{Type: providers.BlockThinking}
		switch {
		case p.Result != nil:
			return fmt.Errorf("a function response by the model")
		case p.Call != nil:
			if len(r.open) == 0 && p.Signature == "" && !r.dialect.Older {
				return fmt.Errorf("function call %q is missing a thought_signature", p.Call.Name)
			}
			if len(p.Call.Args) > 0 && p.Call.Args[0] != '{' {
				return fmt.Errorf("arguments %s are no object", p.Call.Args)
			}
			block = r.call(p)
			r.open = append(r.open, block)
		case p.Text != nil && !p.Thought:
			block = providers.Block{Type: providers.BlockText, Text: *p.Text}
		}
		answer.Blocks = append(answer.Blocks, block)
	}
	r.asked.Messages = append(r.asked.Messages, answer)
	return nil
}

func (r *googleReader) call(p googlePart) providers.Block {
	r.calls++
	block := providers.Block{Type: providers.BlockToolCall, ID: p.Call.ID, Name: p.Call.Name, Arguments: p.Call.Args}
	if block.ID == "" {
		block.ID = fmt.Sprintf("%s%d", anonymous, r.calls)
	}
	if len(block.Arguments) == 0 {
		block.Arguments = json.RawMessage("{}")
	}
	return block
}
