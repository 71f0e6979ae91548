package repository

import (
	"bufio"
	"io"
	"path/filepath"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/paths"
)

// Commit returns the commit of the working tree around a folder; "" if there is none, or it can't be
// read.
func Commit(dir string) string {
	r, ok := Around(dir)
	if !ok {
		return ""
	}
	at := Line(filepath.Join(r.Git, "HEAD"))
	ref, symbolic := strings.CutPrefix(at, "ref: ")
	if !symbolic {
		return hash(at)
	}
	if !strings.HasPrefix(ref, "refs/") || !filepath.IsLocal(ref) {
		return ""
	}
	if at := hash(Line(filepath.Join(r.Common, ref))); at != "" {
		return at
	}
	return packed(filepath.Join(r.Common, "packed-refs"), ref)
}

// hash returns a text that is a hash of SHA-1 or SHA-256; "" for any other.
func hash(text string) string {
	if n := len(text); n != 40 && n != 64 || strings.Trim(text, "0123456789abcdef") != "" {
		return ""
	}
	return text
}

// packed is the commit of a ref in the file packed-refs.
func packed(name, ref string) string {
	const maxSize = 16 << 20
	file, err := paths.OpenRegular(name)
	if err != nil {
		return ""
	}
	defer file.Close()
	lines := bufio.NewScanner(io.LimitReader(file, maxSize))
	for lines.Scan() {
		if at, of, _ := strings.Cut(lines.Text(), " "); of == ref {
			return hash(at)
		}
	}
	return ""
}
