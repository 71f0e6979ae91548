package host

import (
	"crypto/rand"
	"time"
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
