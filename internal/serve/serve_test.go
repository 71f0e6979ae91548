package serve_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/sourcegraph/conc"

	"github.com/a-seed-11b9befa/flow/internal/serve"
	"github.com/a-seed-11b9befa/flow/runner/host"
)

// recipes are the workflows of the tests: one that succeeds, one that fails, one that
// asks, one that goes on until a file is there.
var recipes = map[string]string{
	"greet.yaml": `name: greet
description: Greet somebody
inputs:
  who: {type: string, description: Whom, minLength: 1}
  times: {type: integer, default: 1}
  more: {type: array, items: {$ref: "#/$defs/name"}, $defs: {name: {type: string}}, default: []}
steps:
  - {id: say, run: "echo Hello ${{ inputs.who }}"}
outputs:
  greeting: ${{ steps.say.text }}
  times: ${{ inputs.times }}
`,
	"broken.yaml": `name: broken
env: [SECRET_KEY]
secrets: [SECRET_KEY]
steps:
  - {id: fine, run: echo fine}
  - {id: fails, run: "echo no such table $SECRET_KEY >&2; exit 3"}
`,
	"asks.yaml": `name: asks it
model: script/asks.script.yaml
permissions: {bash: {"rm *": ask}, write: {old.txt: allow}}
steps:
  - {id: clean, prompt: Clean up., tools: [bash]}
`,
	"asks.script.yaml": `steps:
  clean:
    - calls: [{name: bash, arguments: {command: rm old.txt, description: Clean up}}]
    - text: ${{ results[0].content }}
`,
	"waits.yaml": `name: waits
steps:
  - {id: begin, run: echo begun >begun}
  - {id: wait, run: "sleep 300"}
  - {id: after, if: always(), needs: [wait], run: echo over >over}
`,
	"questions.yaml": `name: questions
steps:
  - {id: sure, ask: "Sure?\x1b[2J", choices: [yes, no]}
  - {id: count, ask: Which?, output: {type: array, items: {type: integer}}, comment: true}
outputs: {sure: "${{ steps.sure.output }}", count: "${{ steps.count.output }}", why: "${{ steps.count.comment }}"}
`,
	"compose.yaml": "name: none\nservices: {}\n",
}

// folder is a current folder with the recipes.
func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range recipes {
		write(t, filepath.Join(dir, name), text)
	}
	write(t, filepath.Join(dir, "old.txt"), "old\n")
	t.Chdir(dir)
	t.Setenv("SECRET_KEY", "sk-very-secret-value")
	return dir
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A connection is a client, and the server that it speaks to.
type connection struct {
	*sdk.ClientSession
	hangUp func()       // closes the client's end, without a word
	ended  func() error // waits for the end of the server
}

// connect serves over pipes, as with standard streams; the current folder if no path is given.
func connect(t *testing.T, o *sdk.ClientOptions, paths ...string) *connection {
	t.Helper()
	if paths == nil {
		paths = []string{"."}
	}
	s, found := serve.New(serve.Options{Paths: paths, Run: host.Options{Grace: 10 * time.Second, Warn: func(message string) { t.Log(message) }}})
	if s == nil {
		t.Fatal(found)
	}
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	var serving conc.WaitGroup
	var served error
	serving.Go(func() { served = s.Stdio(ctx, toServer, fromServer) })
	c := &connection{hangUp: func() { fromClient.Close(); toClient.Close() }}
	c.ended = func() error { serving.Wait(); return served }
	t.Cleanup(func() { cancel(); c.hangUp(); serving.Wait() })
	client := sdk.NewClient(&sdk.Implementation{Name: "test"}, o)
	session, err := client.Connect(t.Context(), &sdk.IOTransport{Reader: toClient, Writer: fromClient}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.ClientSession = session
	return c
}

// call calls a tool and returns its result.
func (c *connection) call(t *testing.T, tool string, arguments map[string]any) *sdk.CallToolResult {
	t.Helper()
	result, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return result
}

// textOf is the text of a result.
func textOf(result *sdk.CallToolResult) string {
	var b strings.Builder
	for _, content := range result.Content {
		b.WriteString(content.(*sdk.TextContent).Text)
	}
	return b.String()
}

func TestTools(t *testing.T) {
	dir := folder(t)
	c := connect(t, nil)
	named := func() []string {
		list, err := c.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range list.Tools {
			names = append(names, tool.Name)
			if tool.Name == "greet" {
				checkGreet(t, tool)
			}
		}
		return names
	}
	if got, want := named(), []string{"asks_it", "broken", "greet", "questions", "waits"}; !slices.Equal(got, want) {
		t.Errorf("the tools are %q, want %q", got, want)
	}
	// A folder is read again: a file is new, one is gone, one has mistakes now, one another name.
	write(t, filepath.Join(dir, "new.yaml"), "name: new\nsteps: [{run: 'true'}]\n")
	write(t, filepath.Join(dir, "broken.yaml"), "name: broken\nsteps: [{rum: 'true'}]\n")
	write(t, filepath.Join(dir, "waits.yaml"), "name: does not\nsteps: [{run: 'true'}]\n")
	if err := os.Remove("asks.yaml"); err != nil {
		t.Fatal(err)
	}
	if got, want := named(), []string{"broken", "does_not", "greet", "new", "questions"}; !slices.Equal(got, want) {
		t.Errorf("the tools are %q, want %q", got, want)
	}
	if result := c.call(t, "broken", nil); !result.IsError || !strings.Contains(textOf(result), `"rum"`) {
		t.Errorf("a file with mistakes: %q", textOf(result))
	}
}

// checkGreet compares what is told of a workflow with its file.
func checkGreet(t *testing.T, tool *sdk.Tool) {
	t.Helper()
	got, err := json.Marshal(map[string]any{"description": tool.Description, "in": tool.InputSchema})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"description":"Greet somebody","in":{"additionalProperties":false,"properties":{` +
		`"more":{"$defs":{"name":{"type":"string"}},"default":[],"items":{"$ref":"#/properties/more/$defs/name"},"type":"array"},` +
		`"times":{"default":1,"type":"integer"},"who":{"description":"Whom","minLength":1,"type":"string"}},"required":["who"],"type":"object"}}`
	if string(got) != want {
		t.Errorf("greet is announced as\n%s\nwant\n%s", got, want)
	}
}

// TestAllIsSeen: what is told of a workflow has nothing that a model reads and nobody sees.
// Values of inputs stay as they are.
func TestAllIsSeen(t *testing.T) {
	dir := folder(t)
	write(t, filepath.Join(dir, "unseen.yaml"), `name: "un\u202eseen"
description: "Greets.\nAll\U000E0041 of them."
inputs:
  who: {type: object, description: "Whom\u202e", properties: {a: {description: "A\u200b", enum: ["x\u00a0y"]}}, default: {a: "x\u00a0y"}}
steps: [{run: 'true'}]
`)
	tools, err := connect(t, nil, "unseen.yaml").ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(tools.Tools)
	want := `[{"description":"Greets.\nAll\\U000e0041 of them.","inputSchema":{"additionalProperties":false,"properties":{` +
		`"who":{"default":{"a":"x\u00a0y"},"description":"Whom\\u202e","properties":{"a":{"description":"A\\u200b","enum":["x\u00a0y"]}},"type":"object"}},` +
		`"required":[],"type":"object"},"name":"un_seen","title":"un\\u202eseen"}]`
	if err != nil || string(got) != strings.ReplaceAll(want, `x\u00a0y`, "x\u00a0y") {
		t.Errorf("%v: it is announced as\n%s\nwant\n%s", err, got, want)
	}
}

func TestCall(t *testing.T) {
	folder(t)
	c := connect(t, nil)
	result := c.call(t, "greet", map[string]any{"who": "you", "times": 2})
	if want := `{"greeting":"Hello you","times":2}`; result.IsError || textOf(result) != want {
		t.Errorf("got %q, error %v; want %q", textOf(result), result.IsError, want)
	}
	if outputs, ok := result.StructuredContent.(map[string]any); !ok || outputs["greeting"] != "Hello you" {
		t.Errorf("the structured content is %v", result.StructuredContent)
	}
	run, _ := result.Meta["flow/run"].(string)
	if _, err := os.Stat(filepath.Join(run, "run.json")); err != nil || !strings.Contains(run, filepath.Join(".flow", "runs")) {
		t.Errorf("the run's folder is %q: %v", run, err)
	}
	for _, wrong := range []struct {
		arguments map[string]any
		want      string
	}{
		{nil, `input "who" is missing`}, {map[string]any{"who": ""}, `input "who"`}, {map[string]any{"who": "a", "how": 1}, `"how"`},
	} {
		if result := c.call(t, "greet", wrong.arguments); !result.IsError || !strings.Contains(textOf(result), wrong.want) {
			t.Errorf("%v: got %q, want %q", wrong.arguments, textOf(result), wrong.want)
		}
	}
}

// TestFailure: a workflow that fails is a result that says what went wrong, in which
// step, after what, and where the rest is; and no secret.
func TestFailure(t *testing.T) {
	folder(t)
	result := connect(t, nil, "broken.yaml").call(t, "broken", nil)
	text := textOf(result)
	if !result.IsError || result.StructuredContent != nil {
		t.Errorf("the result is no error: %q", text)
	}
	for _, want := range []string{"failed in ", `flow: step "fails" failed: `, "no such table", "run folder: ", "what happened:\n", "fine: succeeded"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if strings.Contains(text, "very-secret") {
		t.Errorf("a secret is in\n%s", text)
	}
}

// TestAsk: a call that has to be asked for is asked of a client that can.
func TestAsk(t *testing.T) {
	for _, test := range []struct {
		what    string
		answer  *sdk.ElicitResult // nil: the client can't ask
		removed bool
		want    string
	}{
		{"no answers to be had", nil, false, "the MCP client asks nobody"},
		{"yes", &sdk.ElicitResult{Action: "accept", Content: map[string]any{"allow": true}}, true, ""},
		{"no", &sdk.ElicitResult{Action: "accept", Content: map[string]any{"allow": false}}, false, "the user of the MCP client denied the call"},
		{"no, and why", &sdk.ElicitResult{Action: "accept", Content: map[string]any{"allow": false, "reason": "not on Fridays"}}, false, "the user of the MCP client denied the call: not on Fridays"},
		{"declined", &sdk.ElicitResult{Action: "decline"}, false, "the user of the MCP client denied the call"},
		{"no answer to the question", &sdk.ElicitResult{Action: "accept", Content: map[string]any{"allow": "yes"}}, false, "could not ask"},
	} {
		t.Run(test.what, func(t *testing.T) {
			folder(t)
			o, asked := &sdk.ClientOptions{}, ""
			if test.answer != nil {
				o.ElicitationHandler = func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
					asked = r.Params.Message
					return test.answer, nil
				}
			}
			result := connect(t, o).call(t, "asks_it", nil)
			if text := textOf(result); result.IsError || !strings.Contains(text, test.want) {
				t.Errorf("error %v: %q, want %q", result.IsError, text, test.want)
			}
			if _, err := os.Stat("old.txt"); errors.Is(err, os.ErrNotExist) != test.removed {
				t.Errorf("old.txt: %v; removed should be %v", err, test.removed)
			}
			if want := "asks it: clean wants to call\n  bash {\"command\":\"rm old.txt\",\"description\":\"Clean up\"}\n"; test.answer != nil && !strings.HasPrefix(asked, want) {
				t.Errorf("asked %q, want %q", asked, want)
			}
		})
	}
}

// TestQuestions: what a step asks is asked of a client that can; else the run waits.
func TestQuestions(t *testing.T) {
	folder(t)
	result := connect(t, nil).call(t, "questions", nil)
	for _, want := range []string{"waiting after ", "the run waits for 1 answer", `| Sure?\x1b[2J`, "--answer sure=yes", "run folder: "} {
		if text := textOf(result); !result.IsError || !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	var asked, forms []string
	answers := []map[string]any{{"answer": "yes"}, {"answer": "three"}, {"answer": "[4]", "comment": "all"}}
	o := &sdk.ClientOptions{ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
		form, err := json.Marshal(r.Params.RequestedSchema)
		asked, forms = append(asked, r.Params.Message), append(forms, string(form))
		return &sdk.ElicitResult{Action: "accept", Content: answers[len(asked)-1]}, err
	}}
	result = connect(t, o).call(t, "questions", nil)
	if text := textOf(result); result.IsError || text != `{"sure":"yes","count":[4],"why":"all"}` {
		t.Errorf("got %s, asked %q", text, asked)
	}
	if len(asked) != 3 || strings.Contains(asked[0], "\x1b") || !strings.HasPrefix(asked[2], `expected array, got "three"`) {
		t.Errorf("asked %q", asked)
	}
	if strings.Contains(forms[0], "comment") || !strings.Contains(forms[1], "comment") {
		t.Errorf("the forms are %q", forms)
	}
	o = &sdk.ClientOptions{ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
		return &sdk.ElicitResult{Action: "decline"}, nil
	}}
	if result = connect(t, o).call(t, "questions", nil); !result.IsError || !strings.Contains(textOf(result), "the run waits for 1 answer") {
		t.Errorf("declined: %s", textOf(result))
	}
}

// TestProgress: who gives a token is told what happens, in order, before the result.
func TestProgress(t *testing.T) {
	folder(t)
	var mu sync.Mutex
	var told []string
	last := 0.0
	done := make(chan struct{})
	c := connect(t, &sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
		mu.Lock()
		defer mu.Unlock()
		if r.Params.Progress <= last {
			t.Errorf("progress goes from %v to %v", last, r.Params.Progress)
		}
		told, last = append(told, r.Params.Message), r.Params.Progress
		if strings.HasPrefix(r.Params.Message, "say: succeeded") {
			close(done)
		}
	}})
	params := &sdk.CallToolParams{Name: "greet", Arguments: map[string]any{"who": "you"}}
	params.SetProgressToken("a token")
	if _, err := c.CallTool(t.Context(), params); err != nil {
		t.Fatal(err)
	}
	<-done
	mu.Lock()
	defer mu.Unlock()
	if len(told) < 3 || !strings.HasPrefix(told[0], "greet: run ") || told[1] != "say: started" {
		t.Errorf("told %q", told)
	}
}

// appears waits until a file is there.
func appears(t *testing.T, file string) {
	t.Helper()
	for t.Context().Err() == nil {
		if _, err := os.Stat(file); err == nil {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("there is no %s", file)
}

// TestCancel: a call that is cancelled ends its run, whose last steps run.
func TestCancel(t *testing.T) {
	folder(t)
	c := connect(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	var caller conc.WaitGroup
	caller.Go(func() {
		if _, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "waits"}); !errors.Is(err, context.Canceled) {
			t.Errorf("the call ends with %v", err)
		}
	})
	appears(t, "begun")
	cancel()
	caller.Wait()
	appears(t, "over")
	if result := c.call(t, "greet", map[string]any{"who": "you"}); result.IsError {
		t.Errorf("the next call: %q", textOf(result))
	}
}

// TestGone: a client that goes away cancels its runs, and the server ends after them.
func TestGone(t *testing.T) {
	folder(t)
	c := connect(t, nil)
	var caller conc.WaitGroup
	caller.Go(func() { _, _ = c.CallTool(t.Context(), &sdk.CallToolParams{Name: "waits"}) })
	appears(t, "begun")
	c.hangUp()
	if err := c.ended(); err != nil && !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("the server ends with %v", err)
	}
	caller.Wait()
	if _, err := os.Stat("over"); err != nil {
		t.Errorf("the run goes on: %v", err)
	}
}

// TestManyCalls: calls run beside each other, more than there are slots.
func TestManyCalls(t *testing.T) {
	folder(t)
	c := connect(t, nil)
	var callers conc.WaitGroup
	for range 24 {
		callers.Go(func() {
			result, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "greet", Arguments: map[string]any{"who": "you"}})
			if err != nil || result.IsError {
				t.Errorf("%v, %v", result, err)
			}
		})
	}
	callers.Wait()
	if runs, err := os.ReadDir(filepath.Join(".flow", "runs")); len(runs) != 24 {
		t.Errorf("%d runs, want 24: %v", len(runs), err)
	}
}

// TestNothingToServe: what keeps a server from starting.
func TestNothingToServe(t *testing.T) {
	dir := folder(t)
	write(t, filepath.Join(dir, "same.yaml"), "name: greet\nsteps: [{run: 'true'}]\n")
	write(t, filepath.Join(dir, "wrong.yaml"), "name: wrong\nsteps: [{rum: 'true'}]\n")
	for want, paths := range map[string][]string{
		"no workflow found":          {t.TempDir()},
		`"rum"`:                      {"wrong.yaml"},
		"no such file":               {"absent.yaml"},
		"names of tools must differ": {"greet.yaml", "same.yaml"},
	} {
		if s, found := serve.New(serve.Options{Paths: paths}); s != nil || !strings.Contains(found.Error(), want) {
			t.Errorf("%q: got %v, want %q", paths, found, want)
		}
	}
}
