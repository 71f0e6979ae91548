package steps

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/providers"
)

// Context says how a conversation stays within its model's window. If the next request
// would fill more than four fifths of the window, or the service says that the conversation
// is too long, the oldest results of tools are taken out until half of the window is free.
// Each is replaced by a line that says what it was, and which file has the whole of it. The
// prompt, the results of the last turns and the model's own messages always stay, so that a
// provider gets back unchanged what it needs.
type Context struct {
	Fixed bool // nothing is taken out: a conversation that is too long is an error

	// Keep creates the file for a result that is taken out and is not in a file yet, as
	// [tools.Outputs].Spill does. Nil keeps none.
	Keep func(call int, tool string) (file io.WriteCloser, path string, err error)
}

const (
	lastResults = 2   // how many messages of results at the end stay
	minTrim     = 400 // bytes; to replace a shorter result would gain nothing
)

// makeRoom trims the conversation if the next request would fill too much of the model's
// window, as far as that is known.
func (d *dialogue) makeRoom() {
	window := d.info.Context
	if estimated := d.request().EstimatedTokens(); window > 0 && estimated > window/5*4 {
		d.trim(estimated, window/2)
	}
}

// tooLong trims the conversation if a request failed because it was too long, and reports
// whether it has become shorter.
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

// trim takes the oldest results out of a conversation with an estimated number of tokens,
// until it has about to tokens. It reports whether it took out any.
func (d *dialogue) trim(estimated, to int64) bool {
	if d.agent.Context.Fixed {
		return false
	}
	messages := slices.Clone(d.c.Messages)
	perByte := float64(estimated) / float64(max(size(messages), 1))
	left := float64(estimated)
	results, removed, bytes := 0, 0, 0
	for i := range messages[:stay(messages)] {
		m := &messages[i]
		if m.Role != providers.RoleTool || left <= float64(to) {
			continue
		}
		n, before, after := d.shorten(m, results)
		results += len(m.Blocks)
		removed, bytes = removed+n, bytes+before
		left -= perByte * float64(before-after)
	}
	if removed == 0 {
		return false
	}
	recount(messages, int64(float64(estimated)-left))
	d.c.Messages = messages
	d.warn(d.c.Turns+1, fmt.Sprintf("the conversation nearly filled the model's context: removed %s of tools (%s bytes)",
		quantity.Count(removed, "result"), quantity.Thousands(bytes)))
	return true
}

// stay returns the index of the first message that stays: those of the last turns do.
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

// size returns how many bytes of a conversation a model reads.
func size(messages []providers.Message) (bytes int) {
	for _, m := range messages {
		for _, b := range m.Blocks {
			bytes += len(b.Text) + len(b.Name) + len(b.Arguments) + len(b.Content) + len(b.Raw)
		}
	}
	return bytes
}

// recount subtracts tokens from the count of the last answer, which includes all that came
// before it (see [providers.Request.EstimatedTokens]).
func recount(messages []providers.Message, less int64) {
	for i := range slices.Backward(messages) {
		if m := &messages[i]; m.Role == providers.RoleAssistant && m.Usage.Total() > 0 {
			m.Usage.InputTokens = max(m.Usage.InputTokens-less, 1)
			return
		}
	}
}

// shorten replaces each long result of a message by a line. The first result of the message is
// the conversation's nth. It returns how many results it replaced, and their bytes before and
// after.
func (d *dialogue) shorten(m *providers.Message, nth int) (removed, before, after int) {
	m.Blocks = slices.Clone(m.Blocks)
	for i := range m.Blocks {
		b := &m.Blocks[i]
		if len(b.Content) < minTrim {
			continue
		}
		line := fmt.Sprintf("[taken out: output of %s, %s bytes%s]", b.Name, quantity.Thousands(len(b.Content)), d.whereWhole(nth+i, *b))
		if len(line) >= len(b.Content) {
			continue
		}
		removed, before, after = removed+1, before+len(b.Content), after+len(line)
		b.Content = line
	}
	return removed, before, after
}

// whereWhole returns which file has the whole of the conversation's nth result: the one to
// which it was written when it was truncated, or a new one.
func (d *dialogue) whereWhole(nth int, b providers.Block) string {
	if nth < len(d.c.Paths) && d.c.Paths[nth] != "" {
		return "; the whole: " + d.c.Paths[nth]
	}
	var failure error // the path is noted even then
	path, err := once(d, func(f *Fact) **string { return &f.Kept }, func() (path string, err error) {
		path, failure = d.keepWhole(nth+1, b)
		return path, nil
	})
	if err = errors.Join(err, failure); err != nil {
		d.warn(d.c.Turns+1, fmt.Sprintf("a removed result of %s could not be kept: %v", b.Name, err))
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
