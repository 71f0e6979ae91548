package suite

import (
	"os"
	"path/filepath"
)

// A golden is a golden file with the text that it is to have.
type golden struct{ path, text string }

// update rewrites golden files that differ.
func (s *Suite) update(outcomes []*Outcome) error {
	for _, o := range outcomes {
		for _, g := range o.goldens {
			if err := os.MkdirAll(filepath.Dir(g.path), 0o777); err != nil {
				return err
			}
			if err := os.WriteFile(g.path, []byte(g.text), 0o666); err != nil {
				return err
			}
		}
	}
	return nil
}
