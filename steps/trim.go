package steps

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/providers"
)

// Context is how a conversation stays within the window of its model. Where the
// next request would fill more than four fifths of it, or the service says that
// the conversation is too long, the oldest results of tools are taken out until
// half of the window is free: in place of each stands a line that says what it
// was and which file has the whole of it. Never taken out are the prompt, the
// results of the last turns, and what the model itself said: what a provider
// needs back is there unchanged.
type Context struct {
	Fixed bool // nothing is taken out: a conversation that is too long is an error

	// Keep creates the file for the result of a call that is taken out and is in none
	// yet, as [tools.Outputs].Spill does. Nil keeps none.
	Keep func(call int, tool string) (file io.WriteCloser, path string, err error)
}

const (
	lastResults = 2   // messages of results, counted from the end, that stay
	leastTrim   = 400 // bytes: a shorter result would make no room
)

// askWithin asks what next returns, in a conversation that fits into the model's
// window as far as that can be had.
func (d *dialogue) askWithin(ctx context.Context, next func() providers.Request) (providers.Request, providers.Message, error) {
	d.makeRoom()
	for {
		req := next()
		answer, err := d.ask(ctx, req)
		if err == nil || ctx.Err() != nil || !d.tooLong(err) {
			return req, answer, err
		}
	}
}

// makeRoom trims the conversation where the next request would fill too much
// of the model's window, if that is known.
func (d *dialogue) makeRoom() {
	window := d.info.Context
	if estimated := d.request().EstimatedTokens(); window > 0 && estimated > window/5*4 {
		d.trim(estimated, window/2)
	}
}

// tooLong reports whether a request failed because the conversation is too
// long, and there is less of it now.
func (d *dialogue) tooLong(err error) bool {
	if KindOf(err) != KindContextLength {
		return false
	}
	estimated := d.request().EstimatedTokens()
	to := estimated / 2
	if window := d.info.Context; window > 0 {
		to = min(to, window/2)
	}
	return d.trim(estimated, to)
}

// trim takes the oldest results out of a conversation of about so many tokens,
// until it has no more than it is to have. It reports whether it took out any.
func (d *dialogue) trim(estimated, to int64) bool {
	if d.agent.Context.Fixed {
		return false
	}
	messages := slices.Clone(d.c.Messages)
	perByte := float64(estimated) / float64(max(size(messages), 1))
	t := trimming{d: d}
	left := float64(estimated)
	for i := range messages[:stay(messages)] {
		if m := &messages[i]; m.Role == providers.RoleTool && left > float64(to) {
			left -= perByte * float64(t.shorten(m))
		}
	}
	if t.taken == 0 {
		return false
	}
	recount(messages, int64(float64(estimated)-left))
	d.c.Messages = messages
	note := fmt.Sprintf("the conversation came close to the model's window: %s of tools (%s bytes) taken out of it",
		quantity.Count(t.taken, "result"), quantity.Thousands(t.bytes))
	d.keep(providers.Message{Role: "system", Blocks: []providers.Block{{Type: providers.BlockText, Text: note}}})
	d.warn(d.c.Turns+1, note)
	return true
}

// stay is where the messages begin that stay as they are: those of the last
// turns.
func stay(messages []providers.Message) int {
	results := 0
	for i, m := range slices.Backward(messages) {
		if m.Role == providers.RoleTool {
			if results++; results == lastResults {
				return i
			}
		}
	}
	return 0
}

// size is how many bytes of a conversation a model reads.
func size(messages []providers.Message) (bytes int) {
	for _, m := range messages {
		for _, b := range m.Blocks {
			bytes += len(b.Text) + len(b.Name) + len(b.Arguments) + len(b.Content) + len(b.Raw)
		}
	}
	return bytes
}

// recount takes so many tokens off what the last answer has counted: it stands
// for all that came before it (see [providers.Request.EstimatedTokens]).
func recount(messages []providers.Message, less int64) {
	for i := range slices.Backward(messages) {
		if m := &messages[i]; m.Role == providers.RoleAssistant && m.Usage.Total() > 0 {
			m.Usage.InputTokens = max(m.Usage.InputTokens-less, 1)
			return
		}
	}
}

// A trimming goes through a conversation from its beginning.
type trimming struct {
	d      *dialogue
	passed int // results so far
	taken  int
	bytes  int
}

// shorten puts a line in place of each long result of a message, and returns how
// many bytes less it has.
func (t *trimming) shorten(m *providers.Message) (less int) {
	m.Blocks = slices.Clone(m.Blocks)
	for i := range m.Blocks {
		b, nth := &m.Blocks[i], t.passed
		t.passed++
		if len(b.Content) < leastTrim {
			continue
		}
		line := fmt.Sprintf("[taken out: output of %s, %s bytes%s]", b.Name, quantity.Thousands(len(b.Content)), t.d.whereWhole(nth, *b))
		if len(line) >= len(b.Content) {
			continue
		}
		less += len(b.Content) - len(line)
		t.taken, t.bytes = t.taken+1, t.bytes+len(b.Content)
		b.Content = line
	}
	return less
}

// whereWhole says which file has the whole of the conversation's nth result: the
// one that took it when it was truncated, or one that takes it now.
func (d *dialogue) whereWhole(nth int, b providers.Block) string {
	if nth < len(d.c.Paths) && d.c.Paths[nth] != "" {
		return "; the whole: " + d.c.Paths[nth]
	}
	path, err := d.whole(nth+1, b)
	if err != nil {
		d.warn(d.c.Turns+1, fmt.Sprintf("a result of %s that was taken out is kept nowhere: %v", b.Name, err))
	}
	if path == "" {
		d.c.Lost++
		return ""
	}
	return "; the whole: " + path
}

func (d *dialogue) keepWhole(call int, b providers.Block) (path string, err error) {
	if d.agent.Context.Keep == nil {
		return "", nil
	}
	file, path, err := d.agent.Context.Keep(call, b.Name)
	if err != nil {
		return "", err
	}
	_, err = io.WriteString(file, b.Content)
	if err = errors.Join(err, file.Close()); err != nil {
		return "", err
	}
	return path, nil
}
