package permission

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/folder"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
)

// operandRule says which operands of a program it writes.
type operandRule uint8

const (
	allOperands    operandRule = iota + 1
	afterMode                  // all but the mode that comes first
	afterOwner                 // all but the owner that comes first
	lastOperand                // the target of a copy
	secondOnward               // the output that follows an input
	afterOf                    // of=FILE
	prefixOnward               // the beginning of the names of the pieces
	numberedPieces             // pieces in the working directory
	compressed                 // all, unless the output goes to the standard one
	firstOnly                  // the archive that comes first
	unpacks                    // files of any name in the folder where it runs
	byTar                      // the archive, or what is in it
	byGit                      // what a subcommand of git changes
)

// maxWritten bounds the operands that a command writes.
const maxWritten = 1024

// operands returns the files that a command writes by its operands, and a guard
// where one of them is not known whole.
func (w *walker) operands(words []word, at cwd) (out []writeTarget, risks []risk) {
	if words[0].kind != static {
		return nil, nil
	}
	known := named(programName(words[0]))
	if known.writes == 0 {
		return nil, nil
	}
	if known.copies {
		out = append(w.placed(known, words, at), w.placedTrees(known, words, at)...)
	}
	seen := map[string]bool{}
	files := w.written(known, words, at)
	if len(files) > maxWritten {
		w.refuse("it writes too many files to be judged")
	}
	if w.refused != "" {
		return nil, nil
	}
	for _, x := range files {
		if seen[x.text] && x.kind == static {
			continue
		}
		seen[x.text] = true
		if x.kind == static {
			targets := w.operand(x, at)
			if known.writes == byGit || known.writes == unpacks || known.writes == byTar {
				targets = w.filesIn(x, at)
			}
			if known.writes == unpacks || known.writes == byTar && x.is(".") || known.noContent {
				for i := range targets {
					targets[i].later = true
				}
			}
			if out = append(out, targets...); known.changesBelow.of(words) {
				out = append(out, w.inTree(x, at)...)
			}
			if known.replaces {
				out = append(out, w.linksThemselves(x, at)...)
			}
		} else if len(risks) == 0 {
			risks = append(risks, risk{level: unheld, at: -1, why: "a file that it writes is not known before it runs"})
		}
	}
	return out, risks
}

// written returns the words that name what is written.
func (w *walker) written(known *facts, words []word, at cwd) []word {
	operands, values := known.operands(words)
	switch known.writes {
	case allOperands:
		return append(operands, values...)
	case afterMode, afterOwner:
		if len(operands) > 0 && !hasReference(words) && (known.writes == afterOwner || isMode(operands[0].text) && !hasDashMode(words)) {
			return operands[1:]
		}
		return operands
	case secondOnward:
		return operands[min(1, len(operands)):]
	case prefixOnward:
		return pieces(operands)
	case numberedPieces:
		return []word{staticWord("./xx00")}
	case compressed:
		if slices.ContainsFunc(words[1:], printsInstead) {
			return nil
		}
		return operands
	case firstOnly:
		return operands[:min(1, len(operands))]
	case unpacks:
		if slices.ContainsFunc(words[1:], listsInstead) {
			return nil
		}
		return []word{staticWord(".")}
	case byTar:
		return tarWrites(words)
	case byGit:
		return w.gitWrites(words, at)
	case afterOf:
		var out []word
		for _, x := range words[1:] {
			if rest, ok := strings.CutPrefix(x.text, "of="); ok && x.kind == static {
				out = append(out, tildeValue(rest))
			} else if x.kind == globbed {
				out = append(out, x)
			}
		}
		return out
	}
	if known.hardLinks.of(words) {
		return append(operands, values...) // a write to one name is one to all
	}
	return append(known.lastWritten(operands, words), values...)
}

// pieces returns a name of those that split makes.
func pieces(operands []word) (out []word) {
	if len(operands) < 2 {
		return []word{staticWord("./xaa")}
	}
	for _, x := range operands[1:] {
		x.text += "aa"
		out = append(out, x)
	}
	return out
}

// clonedInto returns the directories that git clone and git init may make: all
// operands that are no address.
func clonedInto(words []word) (out []word) {
	sub, known := gitSubcommand(words)
	if !known || sub == len(words) || !words[sub].is("clone") && !words[sub].is("init") {
		return nil
	}
	operands, _ := splitOperands(words[sub:], false)
	for _, x := range operands {
		if x.kind != static || !strings.Contains(x.text, ":") {
			out = append(out, x)
		}
	}
	if words[sub].is("clone") && len(out) == 0 {
		for _, x := range operands {
			out = append(out, staticWord("./"+strings.TrimSuffix(filepath.Base(x.text), ".git")))
		}
	}
	return out
}

// tildeValue returns what follows = as a word; a ~ in it may be expanded.
func tildeValue(text string) word {
	return word{kind: static, text: text}
}

// printsInstead reports whether an option of a compressor leaves files as they are.
func printsInstead(x word) bool {
	return x.is("--stdout") || x.is("--to-stdout") || x.is("--list") || x.is("--test") || x.isOption() && !strings.HasPrefix(x.text, "--") && strings.ContainsAny(x.text, "clt")
}

// listsInstead reports whether an option of unzip, patch or wget has it write no
// file.
func listsInstead(x word) bool {
	return x.is("-l") || x.is("-p") || x.is("-t") || x.is("-Z") || x.is("--dry-run") || x.is("--spider") || x.is("-qO-") || x.is("-O-") ||
		x.is("-O") || x.is("--version") || strings.HasPrefix(x.text, "--output-document")
}

// tarWrites returns the archive that tar makes, or the folder into which it puts
// what is in one.
func tarWrites(words []word) (out []word) {
	letters, archive := "", word{}
	for i, x := range words[1:] {
		cluster := i == 0 && !strings.HasPrefix(x.text, "-")
		switch name, value, valued := strings.Cut(x.text, "="); {
		case name == "--file" && valued:
			archive = staticWord(value)
		case name == "--extract" || name == "--get":
			letters += "x"
		case name == "--create" || name == "--append" || name == "--update" || name == "--delete" || name == "--concatenate" || name == "--catenate":
			letters += "c"
		case x.isOption() && !strings.HasPrefix(x.text, "--") || cluster:
			letters += x.text
			if at := strings.IndexByte(x.text, 'f'); at >= 0 && i+2 < len(words) && (cluster || at == len(x.text)-1) {
				archive = words[i+2]
			} else if at >= 0 && !cluster {
				archive = staticWord(x.text[at+1:])
			}
		case name == "--file" && i+2 < len(words):
			archive = words[i+2]
		}
	}
	if strings.Contains(letters, "x") && !strings.Contains(letters, "O") && !slices.ContainsFunc(words[1:], func(x word) bool { return x.is("--to-stdout") }) {
		out = append(out, staticWord("."))
	}
	if strings.ContainsAny(letters, "cruA") && archive.text != "" && archive.text != "-" {
		out = append(out, archive)
	}
	return out
}

func hasReference(words []word) bool {
	for _, x := range words[1:] {
		if strings.HasPrefix(x.text, "--ref") || x.unknown() {
			return true
		}
	}
	return false
}

// isMode reports whether a word is a mode of chmod.
func isMode(text string) bool {
	return text != "" && (strings.Trim(text, "01234567") == "" || strings.ContainsAny(text, "+-=") && strings.Trim(text, "ugoarwxXst+-=,01234567") == "")
}

// hasDashMode reports whether a mode such as -w was given like an option.
func hasDashMode(words []word) bool {
	for _, x := range words[1:] {
		if x.isOption() && len(x.text) > 1 && strings.Trim(x.text[1:], "rwxXstugo,+-=") == "" {
			return true
		}
	}
	return false
}

// operand returns what a static operand stands for in each directory. One that
// is a directory is judged as a file in it.
func (w *walker) operand(x word, at cwd) []writeTarget {
	if out := w.newFolder(x, at); out != nil {
		return out
	}
	out := w.targets(x, at)
	for i, t := range out {
		if !t.at.IsDir() {
			continue
		}
		path := strings.TrimRight(literalPath(x), "/") + "/x"
		t = writeTarget{text: x.text, at: place.Within(t.at)}
		if t.refused = w.policy.whyNotWritten(path, t.at); t.refused == "" {
			t.refused = w.policy.whyNotWhole(out[i].at.Canonical)
		}
		out[i] = t
	}
	return out
}

// filesIn is operand for programs that write some files in a directory, and not
// the directory itself.
func (w *walker) filesIn(x word, at cwd) []writeTarget {
	if out := w.newFolder(x, at); out != nil {
		return out
	}
	out := w.targets(x, at)
	for i, t := range out {
		if t.at.IsDir() {
			out[i] = writeTarget{text: x.text, at: place.Within(t.at)}
		}
	}
	return out
}

// newFolder returns what an operand that ends in a slash stands for where there is
// nothing yet: the command before makes the folder.
func (w *walker) newFolder(x word, at cwd) []writeTarget {
	text := strings.TrimSuffix(x.text, "/")
	if text == x.text || text == "" || strings.HasSuffix(text, "/") || at.lost {
		return nil
	}
	x.text = text + "/x"
	for _, dir := range at.dirs {
		if to, err := w.roots.Resolve(dir, literalPath(word{text: text, tilde: x.tilde})); err != nil || to.Info != nil {
			return nil
		}
	}
	return w.targets(x, at)
}

// isRecursive reports whether an option has a program go through directories.
func isRecursive(words []word) bool {
	return slices.ContainsFunc(words[1:], func(x word) bool {
		return x.isOption() && (strings.HasPrefix(x.text, "--rec") || !strings.HasPrefix(x.text, "--") && strings.Contains(x.text, "R"))
	})
}

// inTree returns the files in a directory that an operand names: a rule may deny
// to write one of them.
func (w *walker) inTree(x word, at cwd) []writeTarget {
	t := writeTarget{text: x.text, below: true}
	if !w.policy.deniesSomeWrites() {
		return nil
	}
	for _, top := range w.placesOf(literalPath(x), at) {
		held := heldFiles{walker: w, seen: map[string]bool{}}
		if top.IsDir() {
			held.walk(top)
		}
		if t.places = append(t.places, held.found...); held.lost {
			t.unsure = "it holds too much to be looked through"
		}
	}
	if len(t.places) == 0 && t.unsure == "" {
		return nil
	}
	return []writeTarget{t}
}

// deniesSomeWrites reports whether a rule takes files out of what may be written.
func (p *Policy) deniesSomeWrites() bool {
	return slices.ContainsFunc(p.domains, func(d *domain) bool {
		return d.write != nil && slices.ContainsFunc(d.write.patterns, func(p pathRule) bool { return p.verdict != Allow })
	})
}

// linksThemselves returns the links that an operand names, as the entries of
// their folders.
func (w *walker) linksThemselves(x word, at cwd) (out []writeTarget) {
	path := strings.TrimRight(literalPath(x), "/")
	folder, name := filepath.Split(path)
	if name == "" || name == "." || name == ".." {
		return nil
	}
	for _, dir := range at.dirs {
		in, err := w.roots.Resolve(dir, cmp.Or(folder, "."))
		if err != nil {
			continue // the operand itself is refused
		}
		t := writeTarget{text: x.text, at: in.Child(name)}
		if info, err := os.Lstat(t.at.Canonical); err != nil || info.Mode()&os.ModeSymlink == 0 {
			continue
		}
		t.refused = w.policy.whyNotWritten(path, t.at)
		out = append(out, t)
	}
	return out
}

// maxHeld bounds how many files a directory is searched for what is never
// writable.
const maxHeld = 20000

// whyNotWhole returns why a directory as a whole is never written: it holds
// something that is not, or too much to be looked through.
func (p *Policy) whyNotWhole(dir string) string {
	for _, file := range append([]protectedFile{{path: p.roots.Start()}}, p.protected...) {
		if folder.Holds(dir, file.path) {
			return "it holds the workspace or a file of the running workflow"
		}
	}
	left := maxHeld
	return p.whyNotAll(dir, &left)
}

func (p *Policy) whyNotAll(dir string, left *int) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "it cannot be looked through: " + place.Cause(err)
	}
	for _, e := range entries {
		if *left--; *left < 0 {
			return "it holds too many files to be looked through"
		}
		if place.IsReserved(e.Name()) {
			return "it holds " + e.Name() + ", which is never writable"
		}
		if e.IsDir() {
			if why := p.whyNotAll(filepath.Join(dir, e.Name()), left); why != "" {
				return why
			}
		}
	}
	return ""
}
