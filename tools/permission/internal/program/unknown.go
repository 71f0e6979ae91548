package program

import (
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// namesOnly reports whether the words of a command that are not known can't be
// anything but names of files, and what is searched for: no option that runs a
// program, no script and no address.
func namesOnly(words []word.Word) bool {
	known := Named(NameOf(words[0]))
	if known.Wide != nil && known.Wrapper == nil && !known.Wide.RunsFiles || known.Interprets == everyWord {
		return false
	}
	options, operand, script := true, false, LastScript(NameOf(words[0]), words)
	for i, x := range words[1:] {
		if x.Is("--") {
			options = false
			continue
		}
		if !x.Unknown() {
			operand = operand || !x.IsOption() && !strings.HasPrefix(words[i].Text, "-")
			continue
		}
		interpreted := known.Interprets == firstWord && i == 0 || known.Interprets == firstOperand && !operand && !(script > 0 && i+1 > script)
		if interpreted || mayBeOfKernel(x.Lead) || options && known.heedsOptions() && !beginsPlainly(x) {
			return false
		}
	}
	return true
}

// heedsOptions reports whether an option of a program may do more than to pick files.
func (f *Facts) heedsOptions() bool {
	return (f.Options != nil || f.Risks != nil || f.Runs != 0 || f.Bare != "") && !f.OnlyFiles
}

// mayBeOfKernel reports whether a path that begins so may be one of the kernel's files.
func mayBeOfKernel(lead string) bool {
	return slices.ContainsFunc([]string{"/proc/", "/sys/", "/dev/"}, func(dir string) bool {
		return lead != "" && strings.HasPrefix(lead, "/") && strings.HasPrefix(dir, lead) || strings.Contains(lead+"/", dir)
	})
}

// beginsPlainly reports whether a word is one that can't be an option.
func beginsPlainly(x word.Word) bool {
	return x.Plain || x.Kind == word.Dynamic && x.Lead != "" && x.Lead[0] != '-' && x.Lead[0] != '+'
}

func ChangesInPlace(x word.Word) bool {
	return x.IsOption() && slices.ContainsFunc(Named("sed").Options.names(x.Text), func(name string) bool { return name == "-i" || name == "--in-place" })
}
