package word

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// decodeANSI returns the value of $'…' as bash decodes it, which ends at a NUL.
func decodeANSI(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			i++
			continue
		}
		decoded, n := ansiEscape(s[i+1:])
		if decoded == "\x00" {
			break
		}
		b.WriteString(decoded)
		i += 1 + n
	}
	return b.String()
}

// ansiEscape decodes what follows a backslash and returns how long it was.
func ansiEscape(s string) (decoded string, n int) {
	if i := strings.IndexByte("abeEfnrtv\\'\"?", s[0]); i >= 0 {
		return "\a\b\x1b\x1b\f\n\r\t\v\\'\"?"[i : i+1], 1
	}
	switch s[0] {
	case 'x':
		if strings.HasPrefix(s, "x{") {
			return ansiBraces(s)
		}
		return ansiNumber(s, 1, 2, 16)
	case 'u':
		return ansiNumber(s, 1, 4, 16)
	case 'U':
		return ansiNumber(s, 1, 8, 16)
	case 'c':
		return ansiControl(s)
	case '0', '1', '2', '3', '4', '5', '6', '7':
		return ansiNumber(s, 0, 3, 8)
	}
	return "\\" + s[:1], 1
}

// ansiControl decodes \cX.
func ansiControl(s string) (decoded string, n int) {
	switch {
	case len(s) == 1:
		return "\\c", 1
	case s[1] == '?':
		return "\x7f", 2
	case strings.HasPrefix(s[1:], `\\`):
		return "\x1c", 3
	}
	return string(rune(s[1] & 0x1f)), 2
}

// ansiBraces decodes \x{…}, of which bash keeps the last byte. No digits are a
// NUL.
func ansiBraces(s string) (decoded string, n int) {
	var value byte
	n = len("x{")
	for ; n < len(s) && isDigit(s[n], 16); n++ {
		digit, _ := strconv.ParseUint(s[n:n+1], 16, 8)
		value = value<<4 | byte(digit)
	}
	if n < len(s) && s[n] == '}' {
		n++
	}
	return string([]byte{value}), n
}

// ansiNumber decodes up to most digits that begin at start.
func ansiNumber(s string, start, most, base int) (decoded string, n int) {
	end := start
	for end < len(s) && end-start < most && isDigit(s[end], base) {
		end++
	}
	if end == start {
		return "\\" + s[:1], 1
	}
	value, _ := strconv.ParseUint(s[start:end], base, 64)
	if s[0] == 'u' || s[0] == 'U' {
		return string(utf8.AppendRune(nil, rune(min(value, utf8.MaxRune+1)))), end
	}
	return string([]byte{byte(value)}), end
}

func isDigit(c byte, base int) bool {
	_, err := strconv.ParseUint(string(rune(c)), base, 8)
	return err == nil && c != '_'
}
