package jsonschema

import (
	"errors"
	"net/netip"
	"regexp"
	"regexp/syntax"
	"strings"
)

// A format is a check of strings by name.
type format struct {
	name  string
	check func(string) string // says why a string is not of the format, or ""
}

// formatNamed gives a format, or nil where it is not known: it is a note then.
func formatNamed(name string) *format {
	check := checkOfFormat(name)
	if check == nil {
		return nil
	}
	return &format{name, check}
}

// checkOfFormat gives the check of a format, or nil.
func checkOfFormat(name string) func(string) string {
	switch name {
	case "date":
		return checkDate
	case "time":
		return checkTime
	case "date-time":
		return checkDateTime
	case "duration":
		return checkDuration
	case "email":
		return checkEmail
	case "hostname":
		return checkHostname
	case "ipv4":
		return checkIPv4
	case "ipv6":
		return checkIPv6
	case "uuid":
		return checkUUID
	case "regex":
		return checkRegex
	case "uri":
		return func(s string) string { return checkURI(s, true) }
	case "uri-reference":
		return func(s string) string { return checkURI(s, false) }
	}
	return nil
}

// checkIPv4 checks an address as RFC 2673 writes it: no leading zeros.
func checkIPv4(s string) string {
	if a, err := netip.ParseAddr(s); err != nil || !a.Is4() {
		return "four numbers from 0 to 255 with dots between them are expected"
	}
	return ""
}

// checkIPv6 checks an address as RFC 4291 writes it.
func checkIPv6(s string) string {
	switch a, err := netip.ParseAddr(s); {
	case err != nil || !a.Is6():
		return "groups of hex digits with colons between them are expected"
	case a.Zone() != "":
		return "a zone is no part of an address"
	}
	return ""
}

// checkHostname checks a name as RFC 1123 has it. What Punycode stands for is not
// looked at.
func checkHostname(s string) string {
	const longest, longestLabel = 253, 63
	if len(s) > longest {
		return "it has more than 253 characters"
	}
	for label := range strings.SplitSeq(s, ".") {
		switch {
		case label == "":
			return "a part is empty"
		case len(label) > longestLabel:
			return "a part has more than 63 characters"
		case label[0] == '-' || label[len(label)-1] == '-':
			return "a part begins or ends with a hyphen"
		}
		for _, c := range []byte(label) {
			if !isLetter(c) && !isDigit(c) && c != '-' {
				return "letters, digits, hyphens and dots are expected"
			}
		}
	}
	return ""
}

// checkEmail checks a mailbox as RFC 5321 has it: any domain, or an address in
// brackets.
func checkEmail(s string) string {
	const longest, longestLocal = 255, 64
	at := strings.LastIndexByte(s, '@')
	switch {
	case len(s) > longest:
		return "it has more than 255 characters"
	case at < 0:
		return "there is no @"
	case at == 0 || at > longestLocal:
		return "1 to 64 characters are expected before the @"
	}
	if why := checkMailbox(s[:at]); why != "" {
		return why
	}
	domain := s[at+1:]
	if literal, isLiteral := strings.CutPrefix(domain, "["); isLiteral && strings.HasSuffix(literal, "]") {
		literal = strings.TrimSuffix(literal, "]")
		if six, isIPv6 := strings.CutPrefix(literal, "IPv6:"); isIPv6 {
			return checkIPv6(six)
		}
		return checkIPv4(literal)
	}
	if why := checkHostname(domain); why != "" {
		return "the domain is not valid: " + why
	}
	return ""
}

// checkMailbox checks what stands before the @.
func checkMailbox(s string) string {
	if len(s) > 1 && s[0] == '"' && s[len(s)-1] == '"' {
		if strings.ContainsAny(s[1:len(s)-1], `\"`) {
			return `" and \ are not allowed between quotes`
		}
		return ""
	}
	if s[0] == '.' || s[len(s)-1] == '.' || strings.Contains(s, "..") {
		return "a dot is expected only between characters"
	}
	for _, c := range []byte(s) {
		if !isLetter(c) && !isDigit(c) && !strings.ContainsRune(".!#$%&'*+-/=?^_`{|}~", rune(c)) {
			return "there is a character that stands only between quotes"
		}
	}
	return ""
}

// checkUUID checks the form of RFC 4122, in either case.
func checkUUID(s string) string {
	const pattern = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"
	fits := len(s) == len(pattern)
	for i := 0; fits && i < len(s); i++ {
		fits = pattern[i] == '-' && s[i] == '-' || pattern[i] == 'x' && isHex(s[i])
	}
	if !fits {
		return "8, 4, 4, 4 and 12 hex digits with hyphens between them are expected"
	}
	return ""
}

// checkRegex takes expressions, too, that are right and can't be run here.
func checkRegex(s string) string {
	if strings.Contains(s, `\a`) || strings.Contains(s, `\Z`) {
		return "it has an escape that ECMA-262 does not know"
	}
	_, err := regexp.Compile(fromECMA(s))
	var misread *syntax.Error
	if !errors.As(err, &misread) {
		return ""
	}
	switch misread.Code {
	case syntax.ErrInvalidPerlOp, syntax.ErrInvalidNamedCapture, syntax.ErrInvalidRepeatSize, syntax.ErrInvalidCharRange, syntax.ErrLarge, syntax.ErrNestingDepth:
		return ""
	case syntax.ErrInvalidEscape:
		if len(misread.Expr) > 1 && (isDigit(misread.Expr[1]) || misread.Expr[1] == 'k') {
			return ""
		}
	}
	return whyNot(err)
}

// allOf reports whether s is not empty and is made of such characters.
func allOf(s string, fits func(byte) bool) bool {
	for _, c := range []byte(s) {
		if !fits(c) {
			return false
		}
	}
	return s != ""
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isHex(c byte) bool { return isDigit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }
