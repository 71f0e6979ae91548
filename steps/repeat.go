package steps

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools"
)

// warnAfter is how often in a row the same call has the same result before the model is
// warned.
const warnAfter = 3

// streak counts how often in a row the last call was made with the same arguments and the
// same result.
type streak struct {
	Tool  string
	Count int
	Seen  [sha256.Size]byte // of the call and its result
}

// after returns the streak after another call.
func (s streak) after(call Called, answer tools.Answer) streak {
	seen := fingerprint(call, answer)
	if s.Count > 0 && seen == s.Seen {
		s.Count++
		return s
	}
	return streak{Tool: call.Tool, Count: 1, Seen: seen}
}

// warning returns a warning for the model, or "". limit is the count that ends the step, or
// 0.
func (s streak) warning(limit int) string {
	if s.Count < warnAfter || s.Count >= limit {
		return ""
	}
	return fmt.Sprintf("\n\n[%s was called %d times running with the same arguments and the same result. Do something else, or give your result; at %d the task is stopped.]", s.Tool, s.Count, limit)
}

// fingerprint hashes a call and its answer, without the path of the whole output, which is
// new for each call.
func fingerprint(call Called, answer tools.Answer) [sha256.Size]byte {
	content := answer.Content
	if answer.Path != "" {
		content = strings.ReplaceAll(content, answer.Path, "")
	}
	hash := sha256.New()
	for _, part := range []string{call.Tool, string(call.Arguments), string(call.Status), content} {
		fmt.Fprintf(hash, "%d:", len(part))
		hash.Write([]byte(part))
	}
	return [sha256.Size]byte(hash.Sum(nil))
}
