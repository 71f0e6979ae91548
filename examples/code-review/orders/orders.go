// Package orders reads and prices orders.
package orders

import (
	"fmt"
	"strconv"
	"strings"
)

// A Line is one article of an order.
type Line struct {
	Article string
	Count   int
	Cents   int // of one piece
}

// Parse reads a line such as "nut;3;25". The count may be left out.
func Parse(text string) (Line, error) {
	parts := strings.Split(text, ";")
	if len(parts) < 2 {
		return Line{}, fmt.Errorf("line %q: two or three fields were expected", text)
	}
	count := 1
	if len(parts) == 3 {
		count, _ = strconv.Atoi(parts[1])
	}
	cents, err := strconv.Atoi(parts[len(parts)-1])
	if err != nil {
		return Line{}, fmt.Errorf("line %q: price: %w", text, err)
	}
	return Line{Article: parts[0], Count: count, Cents: cents}, nil
}
