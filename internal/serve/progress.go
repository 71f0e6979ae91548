package serve

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/sourcegraph/conc"
)

// A progress sends a client the events of its run, as lines. A slow client misses lines: the run
// does not wait for it.
type progress struct {
	lines  chan string
	sender conc.WaitGroup
}

// maxUnsent is how many lines wait to be sent.
const maxUnsent = 256

// newProgress starts to send. The caller closes it.
func newProgress(ctx context.Context, session *sdk.ServerSession, token any) *progress {
	p := &progress{lines: make(chan string, maxUnsent)}
	p.sender.Go(func() {
		told := 0.0
		for line := range p.lines {
			told++ // how far it is nobody knows, but it has to grow
			if session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: told, Message: line}) != nil {
				break
			}
		}
	})
	return p
}

// tell sends a line as soon as possible.
func (p *progress) tell(line string) {
	select {
	case p.lines <- line:
	default:
	}
}

// close sends the waiting lines. The caller must not call tell any more.
func (p *progress) close() {
	close(p.lines)
	p.sender.Wait()
}
