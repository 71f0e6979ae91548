package host

import (
	"crypto/rand"
	"time"
)

// NewRunID returns a name for a run that sorts by when it began:
// 20261121-031522-k3f9, in UTC.
func NewRunID(now time.Time) string {
	const letters = "abcdefghijkmnpqrstuvwxyz23456789" // 32 that are not taken for each other
	var chosen [4]byte
	rand.Read(chosen[:]) // never fails
	for i, b := range chosen {
		chosen[i] = letters[int(b)%len(letters)]
	}
	return now.UTC().Format("20060102-150405-") + string(chosen[:])
}
