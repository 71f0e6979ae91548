// Package inventory says what the parts of the program have in common.
package inventory

// Article is the name of something that can be in stock.
type Article string
