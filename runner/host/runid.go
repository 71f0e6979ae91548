package host

import (
	"crypto/rand"
	"regexp"
	"sync"
	"time"

	"github.com/a-seed-11b9befa/flow/steps"
)

// NewRunID returns an id for a run that sorts by the time, in UTC: 20261121-031522-k3f9.
func NewRunID(now time.Time) string {
	const letters = "abcdefghijkmnpqrstuvwxyz23456789" // 32 that can't be confused
	var chosen [4]byte
	rand.Read(chosen[:]) // never returns an error
	for i, b := range chosen {
		chosen[i] = letters[int(b)%len(letters)]
	}
	return now.UTC().Format("20060102-150405-") + string(chosen[:])
}

// idShape is what the id of a run may be, which names the run's folder.
var idShape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$`) })

func checkID(id string) error {
	if id == "" || idShape().MatchString(id) {
		return nil
	}
	return steps.Invalid("", "the run's id is %q: up to 128 letters, digits, _, - and . are expected, with no . or - first", id)
}
