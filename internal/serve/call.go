package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/semaphore"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/internal/trace"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/steps"
)

// A call is one call of a tool: the run of its workflow.
type call struct {
	workflow string
	around   string // the trace context that it is in
	session  *sdk.ServerSession
	progress *progress           // nil: the client does not want to know
	asking   *semaphore.Weighted // taken while the client is asked

	mu       sync.Mutex
	narrator view.Narrator
	story    []string // the last lines of what has happened
	more     int      // lines before these
}

// maxStory is how many of the last events are in the result of a run that did not succeed.
const maxStory = 100

// call runs a workflow. The error is for a call that was cancelled before it began.
func (s *Server) call(ctx context.Context, tool, file string, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if s.slots.Acquire(ctx, 1) != nil {
		return nil, context.Cause(ctx)
	}
	defer s.slots.Release(1)
	w, found := s.load(file)
	if w == nil {
		return failure(found.Error()), nil
	}
	s.mu.Lock()
	if toolName(w.Name) == tool {
		s.announce(tool, file, w)
	}
	s.mu.Unlock()
	inputs := map[string]any{}
	if arguments := r.Params.Arguments; len(arguments) > 0 && jsonline.Decode(arguments, &inputs) != nil {
		return failure("expected the inputs of the workflow, as a JSON object"), nil
	}
	around, _ := r.Params.Meta["traceparent"].(string)
	c := &call{workflow: w.Name, around: cmp.Or(around, os.Getenv("TRACEPARENT")), session: r.Session, asking: semaphore.NewWeighted(1)}
	if token := r.Params.GetProgressToken(); token != nil {
		c.progress = newProgress(ctx, r.Session, token)
		defer c.progress.close()
	}
	return s.run(ctx, c, w, inputs)
}

// run runs the workflow of the call, and answers.
func (s *Server) run(ctx context.Context, c *call, w *host.Loaded, inputs map[string]any) (*sdk.CallToolResult, error) {
	o := s.o.Run
	o.Loaded, o.Environment = w, host.Environment{} // it was loaded in that of the server
	o.Models, o.Inputs, o.Foreign = s.models, inputs, true
	spans, err := trace.NewSender(os.Getenv)
	s.warnOf(w, err)
	o.Traced, o.TraceParent = spans != nil, c.around
	var h *host.Host
	o.Ask, o.Question, o.Observe = c.ask, c.question, func(e runner.Event) {
		if e.Type == runner.RunStarted {
			s.warnOf(w, spans.Start(h.Dir()))
		}
		c.observe(e)
	}
	if h, err = host.Open(ctx, o); err != nil {
		return failure(w.Mask().String(explained(err))), nil
	}
	result, err := h.Run(ctx)
	s.warnOf(w, errors.Join(spans.End(), h.Close()))
	if err != nil {
		return failure(w.Mask().String(explained(err))), nil
	}
	return c.answer(result, h)
}

// warnOf tells what went wrong beside a run, if something did.
func (s *Server) warnOf(w *host.Loaded, err error) {
	if err != nil {
		s.warn(fmt.Sprintf("%s: %v", w.Name, err))
	}
}

// observe reports an event to the client. It never waits for it.
func (c *call) observe(e runner.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, line := range c.narrator.Lines(e) {
		text := line.String()
		c.story = append(c.story, text)
		if len(c.story) > maxStory {
			c.story, c.more = c.story[1:], c.more+1
		}
		if c.progress != nil {
			c.progress.tell(text)
		}
	}
}

// answer is the result of the call.
func (c *call) answer(r *runner.Result, h *host.Host) (*sdk.CallToolResult, error) {
	meta := sdk.Meta{"flow/run": filepath.ToSlash(h.Dir()), "flow/status": string(r.Status)}
	if r.Cost.Known {
		meta["flow/cost_usd"] = r.Cost.USD
	}
	if r.Status != steps.Succeeded {
		result := failure(h.Mask().String(c.whole(r, h)))
		result.Meta = meta
		return result, nil
	}
	result := &sdk.CallToolResult{Meta: meta}
	text := h.Mask().String(r.Text())
	if len(r.Outputs) > 0 {
		outputs, err := jsonline.Encode(r.Outputs)
		if err != nil {
			return nil, err
		}
		outputs = h.Mask().JSON(outputs)
		text, result.StructuredContent = string(outputs), json.RawMessage(outputs)
	}
	result.Content = []sdk.Content{&sdk.TextContent{Text: text}}
	return result, nil
}

// whole describes a run that did not succeed: as flow run does, and with the last events.
func (c *call) whole(r *runner.Result, h *host.Host) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "%s\nwhat happened:\n", report.Ending(r, &c.narrator, h.Dir(), term.Painter{}))
	if c.more > 0 {
		fmt.Fprintf(&b, "… %d lines before\n", c.more)
	}
	for _, line := range c.story {
		fmt.Fprintln(&b, line)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// failure is the result of a failed call.
func failure(text string) *sdk.CallToolResult {
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}

// explained is the error that kept a workflow from running, with its hint.
func explained(err error) string {
	if hint := steps.HintOf(err); hint != "" {
		return err.Error() + "\nhint: " + hint
	}
	return err.Error()
}
