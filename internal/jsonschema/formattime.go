package jsonschema

import (
	"strings"
	"time"
)

// checkDate checks a full-date of RFC 3339.
func checkDate(s string) string {
	if _, err := time.Parse(time.DateOnly, s); err != nil {
		return "a day such as 2026-02-28 is expected"
	}
	return ""
}

// checkTime checks a time of RFC 3339, which may be a leap second.
func checkTime(s string) string {
	const wanted = "a time such as 23:20:50.52Z or 23:20:50+01:00 is expected"
	const least = len("00:00:00Z")
	if len(s) < least || s[2] != ':' || s[5] != ':' {
		return wanted
	}
	hour, okHour := twoDigits(s[0:2], 23)
	minute, okMinute := twoDigits(s[3:5], 59)
	second, okSecond := twoDigits(s[6:8], 60)
	rest := s[8:]
	if rest[0] == '.' {
		digits := len(rest) - 1 - len(strings.TrimLeft(rest[1:], "0123456789"))
		if digits == 0 {
			return "digits are expected behind the dot"
		}
		rest = rest[1+digits:]
	}
	offset, okOffset := zoneOffset(rest)
	switch {
	case !okHour || !okMinute || !okSecond:
		return wanted
	case !okOffset:
		return "a zone is expected behind the time: Z, or hours and minutes such as +01:00"
	}
	const day = 24 * 60
	if second == 60 && (hour*60+minute-offset+day)%day != day-1 {
		return "a leap second comes only at the end of a day (UTC)"
	}
	return ""
}

// zoneOffset reads Z, or +hh:mm, in minutes.
func zoneOffset(s string) (minutes int, ok bool) {
	if s == "Z" || s == "z" {
		return 0, true
	}
	if len(s) != len("+00:00") || s[0] != '+' && s[0] != '-' || s[3] != ':' {
		return 0, false
	}
	hour, okHour := twoDigits(s[1:3], 23)
	minute, okMinute := twoDigits(s[4:6], 59)
	minutes = hour*60 + minute
	if s[0] == '-' {
		minutes = -minutes
	}
	return minutes, okHour && okMinute
}

// twoDigits reads two digits up to a bound.
func twoDigits(s string, most int) (int, bool) {
	if !isDigit(s[0]) || !isDigit(s[1]) {
		return 0, false
	}
	n := int(s[0]-'0')*10 + int(s[1]-'0')
	return n, n <= most
}

// checkDateTime checks a date-time of RFC 3339.
func checkDateTime(s string) string {
	const date = len("2026-02-28")
	if len(s) <= date || s[date] != 'T' && s[date] != 't' {
		return "a day and a time such as 2026-02-28T23:20:50Z are expected"
	}
	if why := checkDate(s[:date]); why != "" {
		return why
	}
	return checkTime(s[date+1:])
}

// checkDuration checks a duration of ISO 8601, such as P3DT4H.
func checkDuration(s string) string {
	const wanted = "a duration such as P3DT4H30M or P2W is expected"
	rest, found := strings.CutPrefix(s, "P")
	if !found {
		return wanted
	}
	if weeks, found := strings.CutSuffix(rest, "W"); found && allOf(weeks, isDigit) {
		return ""
	}
	date, clock, hasClock := strings.Cut(rest, "T")
	if date == "" && !hasClock || !unitsInOrder(date, "YMD") || hasClock && (clock == "" || !unitsInOrder(clock, "HMS")) {
		return wanted
	}
	return ""
}

// unitsInOrder reports whether s is made of numbers with units, each once and in
// order, with none left out between two.
func unitsInOrder(s, units string) bool {
	for first := true; s != ""; first = false {
		digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
		if digits == 0 || digits == len(s) {
			return false
		}
		i := strings.IndexByte(units, s[digits])
		if i < 0 || i > 0 && !first {
			return false
		}
		s, units = s[digits+1:], units[i+1:]
	}
	return true
}
