package permission

import (
	"slices"
	"strings"
)

// goRisks finds what the table's flags do not say.
func goRisks(words []word) []risk { return append(goEnvRisks(words), goFlagRisks(words)...) }

// goFlagRisks finds what the flags of go's compiler and linker are told, but
// for what only changes the code that they make.
func goFlagRisks(words []word) (out []risk) {
	for i, w := range words[1:] {
		name, value, glued := strings.Cut(strings.TrimLeft(w.text, "-"), "=")
		switch name {
		case "ldflags", "gcflags", "asmflags":
		default:
			continue
		}
		if !glued && i+2 < len(words) {
			value = words[i+2].text
		}
		if w.isOption() && !isPlainGoFlags(value) {
			out = append(out, risk{at: i + 1, names: []string{"-" + name, "--" + name}, why: "the option " + w.text + " is guarded"})
		}
	}
	return out
}

// isPlainGoFlags reports whether each flag for the compiler or the linker is one
// that runs, reads and writes nothing.
func isPlainGoFlags(value string) bool {
	if pattern, rest, ok := strings.Cut(value, "=-"); ok && !strings.HasPrefix(pattern, "-") {
		value = "-" + rest
	}
	fields := strings.Fields(value)
	for i, flag := range fields {
		switch {
		case i > 0 && fields[i-1] == "-X" && strings.Contains(flag, "="):
		case slices.Contains([]string{"-s", "-w", "-X", "-N", "-l", "-m", "-m=2", "-S", "-B", "-e", "-d=checkptr", "-race"}, flag):
		default:
			return false
		}
	}
	return true
}

// goEnvRisks finds go tool, what runs programs that are fetched first, and go env -u, which changes the settings of all later
// commands; the table has -w.
func goEnvRisks(words []word) (out []risk) {
	for i, w := range words[1:] {
		switch {
		case i == 0 && w.is("tool"):
			out = append(out, risk{at: 1, names: []string{w.text}, why: "go tool runs any program"})
		case strings.Contains(w.text, "@") && !w.isOption() && (words[1].is("run") || words[1].is("install")):
			out = append(out, risk{at: i + 1, names: []string{w.text}, why: "it runs or installs what is fetched (" + w.text + ")"})
		}
	}
	if len(words) < 3 || !words[1].is("env") {
		return out
	}
	for i, w := range words[2:] {
		if w.is("-u") || w.is("--u") {
			out = append(out, risk{at: i + 2, names: []string{w.text}, why: "the option " + w.text + " is guarded"})
		}
	}
	return out
}
