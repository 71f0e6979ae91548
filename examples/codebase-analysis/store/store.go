// Package store keeps how many of each article there are.
package store

import (
	"encoding/json"
	"fmt"
	"os"
)

// A Store is the stock, by article.
type Store map[string]int

// Open reads the stock from a file.
func Open(path string) Store {
	data, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	s := Store{}
	_ = json.Unmarshal(data, &s)
	return s
}

// Take takes n of an article out of the stock.
func (s Store) Take(article string, n int) error {
	// TODO: two callers at once
	if s[article] < n {
		return fmt.Errorf("article %q: %d wanted, %d there", article, n, s[article])
	}
	s[article] -= n
	return nil
}
