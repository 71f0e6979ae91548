package program

import (
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// goRisks finds the risks of go that are not flags in the table.
func goRisks(words []word.Word) []Risk { return append(goEnvRisks(words), goFlagRisks(words)...) }

// goFlagRisks finds flags for go's compiler and linker, except those that only change
// the code which is made.
func goFlagRisks(words []word.Word) (out []Risk) {
	for i, w := range words[1:] {
		name, value, glued := strings.Cut(strings.TrimLeft(w.Text, "-"), "=")
		switch name {
		case "ldflags", "gcflags", "asmflags":
		default:
			continue
		}
		if !glued && i+2 < len(words) {
			value = words[i+2].Text
		}
		if w.IsOption() && !isPlainGoFlags(value) {
			out = append(out, Risk{At: i + 1, Names: []string{"-" + name, "--" + name}, Why: "the option " + w.Text + " is guarded"})
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

// goEnvRisks finds go tool, go run and go install of a program that is fetched first, and
// go env -u, which changes the settings of all later commands. The table has -w.
func goEnvRisks(words []word.Word) (out []Risk) {
	for i, w := range words[1:] {
		switch {
		case i == 0 && w.Is("tool"):
			out = append(out, Risk{At: 1, Names: []string{w.Text}, Why: "go tool runs any program"})
		case strings.Contains(w.Text, "@") && !w.IsOption() && (words[1].Is("run") || words[1].Is("install")):
			out = append(out, Risk{At: i + 1, Names: []string{w.Text}, Why: "it runs or installs what is fetched (" + w.Text + ")"})
		}
	}
	if len(words) < 3 || !words[1].Is("env") {
		return out
	}
	for i, w := range words[2:] {
		if w.Is("-u") || w.Is("--u") {
			out = append(out, Risk{At: i + 2, Names: []string{w.Text}, Why: "the option " + w.Text + " is guarded"})
		}
	}
	return out
}
