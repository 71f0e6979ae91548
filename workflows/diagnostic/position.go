package diagnostic

import "fmt"

// A Position is a place in a file. Lines and columns count from 1, columns in
// characters; the zero Position is no place.
type Position struct {
	File         string
	Line, Column int
}

// String returns file:line:column, the form that editors and terminals link.
func (p Position) String() string {
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}
