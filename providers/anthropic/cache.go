package anthropic

import "github.com/a-seed-11b9befa/flow/providers"

// cacheControl marks the end of what the service caches, for five minutes from its last
// use.
type cacheControl struct {
	Type string `json:"type"`
}

// markForCache sets the marks, of which the API accepts four: after the tools, after the
// system prompt, and after the last two messages of the user. The second last message is
// where the previous request had its last mark, so that its entry in the cache is found
// however many blocks were added.
//
// Writing to the cache costs more than sending, so what no request will follow is not
// marked: the only question of a conversation without tools, and the last of any other.
func (r *request) markForCache(req providers.Request) {
	mark := &cacheControl{Type: "ephemeral"}
	if n := len(r.Tools); n > 0 {
		r.Tools[n-1].Cache = mark
	}
	if len(r.System) > 0 {
		r.System[len(r.System)-1].Cache = mark
	}
	if req.NoTools || len(r.Tools) == 0 && len(r.Messages) < 2 {
		return
	}
	marks := 2
	for i := len(r.Messages) - 1; i >= 0 && marks > 0; i-- {
		content := r.Messages[i].Content
		if last, ours := content[len(content)-1].(*block); ours && r.Messages[i].Role == roleUser {
			last.Cache = mark
			marks--
		}
	}
}
