package mcp

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/a-seed-11b9befa/flow/tools"
)

// Limits of the texts of a server, in bytes.
const (
	maxDescription = 8 << 10
	maxSchema      = 64 << 10
	maxWarning     = 2 << 10
	maxError       = 8 << 10
	maxWarnings    = 200 // not bytes: different warnings about one server
)

// shown returns text with invisible characters escaped, and cut if it is too long. It is masked
// before that: a mask does not find a part of a secret.
func shown(mask *tools.Mask, text string, most int) string {
	text = mask.String(text)
	cut := len(text) > most
	if cut {
		text = text[:most]
		for len(text) > 0 && !utf8.ValidString(text[max(0, len(text)-utf8.UTFMax):]) && utf8.UTFMax+len(text) > most {
			text = text[:len(text)-1]
		}
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\n', r == '\t', !unicode.IsControl(r) && !unicode.In(r, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp):
			b.WriteRune(r)
		case r == '\r':
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	if cut {
		b.WriteString(" … (cut)")
	}
	return b.String()
}
