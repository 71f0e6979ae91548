package host_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/providertest"
	"github.com/a-seed-11b9befa/flow/providers/script"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// A workflow of a file is run with a provider and with tools on the files of a
// folder. Here the provider's service is on loopback, and its key in an environment
// of the example's own.
func Example() {
	dir, environment, end := folderAndService()
	defer end()
	ctx := context.Background()

	h, err := host.Open(ctx, host.Options{
		File: dir + "/summary.yaml", Workspace: dir, Dir: dir + "/run", Environment: environment,
		Inputs:  map[string]any{"page": "notes.md"},
		Observe: func(e runner.Event) { progress(e) },
	})
	if err != nil {
		fail(err) // every mistake of the file and of the set-up
	}
	defer h.Close()
	result, err := h.Run(ctx)
	if err != nil {
		fail(err) // nothing ran
	}
	if err := result.Err(); err != nil {
		fail(err) // it did not succeed
	}
	fmt.Println(h.Mask().String(result.Text()))

	// Output:
	// read {"filePath":"notes.md"}: succeeded
	// write {"filePath":"summary.md","content":"In short: all is well."}: succeeded
	// write {"filePath":"notes.md","content":"Nothing."}: denied
	// I wrote summary.md.
}

// fail ends the program with an error, and with what would help.
func fail(err error) {
	log.Fatalf("%v\n%s", err, steps.HintOf(err))
}

// progress prints each call of a tool that has ended.
func progress(e runner.Event) {
	if e.Type == steps.CallFinished {
		fmt.Printf("%s %s: %s\n", e.Tool, e.Input, e.Event.Status)
	}
}

const summary = `name: summary
inputs:
  page: {type: string}
steps:
  - id: short
    model: openai-chat/gpt-5-mini
    tools: [read, write]
    permissions: {write: {"summary.md": allow}}
    prompt: Write what ${{ inputs.page }} says, in short, to summary.md.
`

// folderAndService makes a folder that has a workflow and a page, and starts a
// service whose model reads, writes, and tries to write what it may not.
func folderAndService() (dir string, env host.Environment, end func()) {
	dir, err := os.MkdirTemp("", "flow-")
	if err != nil {
		log.Fatal(err)
	}
	for name, text := range map[string]string{"summary.yaml": summary, "notes.md": "All is well, as it was before.\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			log.Fatal(err)
		}
	}
	service := httptest.NewServer(http.HandlerFunc(writer))
	set := map[string]string{"OPENAI_BASE_URL": service.URL + "/v1", "OPENAI_API_KEY": "sk-0123456789"}
	env.Lookup = func(name string) (string, bool) { value, ok := set[name]; return value, ok }
	return dir, env, func() {
		service.Close()
		os.RemoveAll(dir)
	}
}

// writer is the service of a model that does one thing after the other.
func writer(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	asked, err := providertest.Chat{}.Read(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	done := 0
	for _, m := range asked.Messages {
		if m.Role == providers.RoleTool {
			done++
		}
	}
	calls := []providertest.Call{
		{ID: "1", Name: "read", Arguments: `{"filePath":"notes.md"}`},
		{ID: "2", Name: "write", Arguments: `{"filePath":"summary.md","content":"In short: all is well."}`},
		{ID: "3", Name: "write", Arguments: `{"filePath":"notes.md","content":"Nothing."}`},
	}
	reply := providertest.Reply{Text: "I wrote summary.md."}
	if done < len(calls) {
		reply = providertest.Reply{Calls: calls[done : done+1]}
	}
	providertest.Answer(w, providertest.Chat{}, reply)
}

// A dice is a tool that always throws a four.
type dice struct{}

func (dice) Spec() tools.Spec {
	return tools.Spec{
		Name: "dice", Description: "Throws a dice.",
		Parameters: json.RawMessage(`{"type": "object", "properties": {"sides": {"type": "integer"}}, "required": ["sides"]}`),
	}
}

func (dice) Effects(json.RawMessage) tools.Effects { return tools.Effects{} }

func (dice) Run(_ context.Context, _ json.RawMessage, out *tools.Output) (tools.Result, error) {
	_, err := fmt.Fprint(out, "4")
	return tools.Result{}, err
}

// player returns a model that throws the dice once, and says what came of it.
func player() providers.Model {
	return script.New("mine/player", script.Script{Steps: map[string][]script.Turn{script.AnyStep: {
		func(script.Scene) (script.Answer, error) {
			return script.Answer{Calls: []script.Call{{Name: "dice", Arguments: map[string]any{"sides": 6}}}}, nil
		},
		func(script.Scene) (script.Answer, error) { return script.Answer{Text: "I threw it."}, nil },
	}}})
}

// Tools and models in Go are named in a file like those of flow. A rule has to allow the tool.
func ExampleEnvironment() {
	dir, err := os.MkdirTemp("", "flow-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "game.yaml")
	text := "name: game\nsteps: [{prompt: Throw the dice., model: mine/player, tools: [dice], permissions: {dice: allow}}]\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		log.Fatal(err)
	}

	h, err := host.Open(context.Background(), host.Options{
		File: file, Workspace: dir, Dir: filepath.Join(dir, "run"), Observe: progress,
		Environment: host.Environment{
			Tools:  []tools.Tool{dice{}},
			Models: []providers.Model{player()},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer h.Close()
	result, err := h.Run(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Status, h.Mask().String(result.Text()))

	// Output:
	// dice {"sides":6}: succeeded
	// succeeded I threw it.
}

// A run waits for a person who is not there, and is resumed with the answers.
func Example_answers() {
	dir, err := os.MkdirTemp("", "flow-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "game.yaml")
	text := "name: game\nsteps:\n  - {id: who, ask: Who throws?}\n" +
		"  - {id: throw, needs: [], prompt: Throw the dice., model: mine/player, tools: [dice], permissions: {dice: ask}}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		log.Fatal(err)
	}
	run := func(o host.Options) *runner.Result {
		o.Dir, o.Later = filepath.Join(dir, "run"), true
		o.Environment = host.Environment{Tools: []tools.Tool{dice{}}, Models: []providers.Model{player()}}
		h, err := host.Open(context.Background(), o)
		if err != nil {
			fail(err)
		}
		defer h.Close()
		result, err := h.Run(context.Background())
		if err != nil {
			fail(err)
		}
		return result
	}

	result := run(host.Options{File: file, Workspace: dir})
	var answers []runner.Answer
	for _, w := range result.Waiting {
		if w.IsCall() {
			fmt.Printf("%s: may it call %s %s?\n", w.Address(), w.Tool, w.Arguments)
			answers = append(answers, runner.Answer{Address: w.Address(), Allowed: true})
			continue
		}
		fmt.Printf("%s: %s\n", w.Address(), w.Question)
		ada := "Ada"
		answers = append(answers, runner.Answer{Address: w.Address(), Value: &ada})
	}
	again := run(host.Options{Resume: &runner.Resumption{Answers: answers}})
	fmt.Println(result.Err(), again.Status)

	// Output:
	// who: Who throws?
	// throw:call_1: may it call dice {"sides":6}?
	// the run waits for a person succeeded
}
