package workflows

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/expr-lang/expr/types"

	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// Options say what a workflow may refer to. With the zero Options it can refer to no other
// file, and its tools and providers are not checked.
type Options struct {
	// ReadFile reads the files that a workflow names. A relative path in the workflow has
	// been joined to the folder of its file.
	ReadFile func(path string) ([]byte, error)

	// Tools are the built-in tools. nil: names and arguments of tools are not checked.
	Tools []ToolInfo

	// Providers are those that need no entry under providers, beside script. nil:
	// providers are not checked.
	Providers []string

	// NoScripts leaves the files of scripted models unread.
	NoScripts bool

	// Models are known models, for suggestions.
	Models []string

	// Find returns the file that a name under uses means where it is not a file's path: a
	// folder, or a reference to a recipe. from is the file that has the name; ok is false
	// for a path. nil: all names are paths.
	Find func(from, name string) (file string, ok bool, err error)

	// NameOf returns how messages name the file at a path. nil: by the path.
	NameOf func(path string) string

	// Reaches returns an error where the file from may not name the prompt or the script at
	// path. Which workflows it may use is up to Find. nil: any file may be named.
	Reaches func(from, path string) error

	// HasToken reports whether a text contains what looks like a key or a token of a
	// service. nil: texts are not checked for these.
	HasToken func(text string) bool

	// Also checks what is not known here, and its diagnostics are those of [Load], too. It is
	// called once, also for a workflow with mistakes, which has only the steps and settings
	// that could be read; not for a file that is no workflow. nil: nothing else is checked.
	Also func(*Workflow) Diagnostics

	// Denied returns the tools among the listed ones of which the rules of a workflow and of one of its
	// steps deny every call, as the run would. nil: no step is warned of its tools.
	Denied func(w *Workflow, own Permissions, tools []string) []string

	// NearFile suggests a file for a path where there is none; "" for no suggestion. nil:
	// nothing is suggested.
	NearFile func(path string) string
}

// ToolInfo describes a built-in tool.
type ToolInfo struct {
	Name       string
	Parameters json.RawMessage // JSON Schema of the arguments; nil: not checked
}

const maxUses = 10 // how deep workflows may use each other

// Load reads a workflow and the files that it names, and checks them. With errors among
// the diagnostics the workflow is nil; with warnings alone it can be run.
func Load(file string, opts Options) (*Workflow, Diagnostics) {
	l := newLoader(opts)
	if opts.ReadFile == nil {
		return nil, Diagnostics{unreadable(file, "Options.ReadFile is not set")}
	}
	src, err := opts.ReadFile(file)
	if err != nil {
		return nil, Diagnostics{unreadable(file, err.Error())}
	}
	return l.load(file, src)
}

// Parse is [Load] for the bytes of a file. Its relative paths start at the folder of file.
func Parse(file string, src []byte, opts Options) (*Workflow, Diagnostics) {
	return newLoader(opts).load(file, src)
}

// load is [Load] for the bytes of the file.
func (l *loader) load(file string, src []byte) (*Workflow, Diagnostics) {
	w := l.parse(file, src)
	if w != nil && l.opts.Also != nil {
		if l.Diagnostics().HasErrors() {
			w.dropUnread(map[*Workflow]bool{})
		}
		for _, d := range l.opts.Also(w) {
			l.Add(&d)
		}
	}
	return valid(w, l.Report)
}

// valid returns what was parsed, nil where its report has errors, and the report.
func valid[T any](parsed *T, r *tree.Report) (*T, Diagnostics) {
	ds := r.Diagnostics()
	if ds.HasErrors() {
		return nil, ds
	}
	return parsed, ds
}

// unreadable is the one mistake of a file that can't be read.
func unreadable(file, why string) Diagnostic {
	return diagnostic.OfFile(file, diagnostic.CodeFile, "the file can't be read: "+why)
}

// A loader reads a workflow and those that it uses.
type loader struct {
	*tree.Report
	opts    Options
	format  *formats
	using   []string // the file that is read, behind those that use it
	schemas schemaSet
	done    map[string]*Workflow // nil for one that could not be read
	scripts map[string]bool      // the files of scripted models that have been read
}

func newLoader(opts Options) *loader {
	return &loader{Report: &tree.Report{}, opts: opts, format: newFormat(), done: map[string]*Workflow{}, scripts: map[string]bool{}}
}

// nameOf is how messages name a file.
func (l *loader) nameOf(file string) string {
	if l.opts.NameOf == nil {
		return file
	}
	return l.opts.NameOf(file)
}

// A FileKind is what a file of flow is, judging by its keys at the top.
type FileKind int

// A file is a workflow, tests of one, or what a scripted model says.
const (
	FileOfWorkflow FileKind = iota
	FileOfTests
	FileOfScript
)

// FileKindOf returns what a file is; one that can't be read as YAML counts as a workflow.
func FileKindOf(file string, src []byte) FileKind {
	root := tree.Read(tree.NewSource(file, string(src)), src, tree.WorkflowLimits(), &tree.Report{})
	if root == nil {
		return FileOfWorkflow
	}
	return fileKindOf(root)
}

func fileKindOf(root *tree.Node) FileKind {
	switch {
	case isScriptedModel(root):
		return FileOfScript
	case root.Get("workflow") != nil && (root.Get("cases") != nil || root.Get("tests") != nil) && root.Get("steps") == nil:
		return FileOfTests
	}
	return FileOfWorkflow
}

// parse reads one file; nil for one that is no workflow. The workflow can be used only when no error was
// reported.
func (l *loader) parse(file string, text []byte) *Workflow {
	l.using = append(l.using, filepath.Clean(file))
	defer func() { l.using = l.using[:len(l.using)-1] }()
	p := newParser(l.Report, newGrammar(workflowFunctions()))
	p.loader, p.Where, p.defaults = l, whereHint, builtInDefaults()
	shown, sum := l.nameOf(file), sha256.Sum256(text)
	p.workflow = &Workflow{File: file, Shown: shown, Dir: filepath.Dir(file), SHA256: hex.EncodeToString(sum[:]), outputTypes: types.Map{}}
	root := tree.Read(tree.NewSource(shown, string(text)), text, tree.WorkflowLimits(), p.Report)
	if root == nil {
		return nil
	}
	p.root = root
	switch fileKindOf(root) {
	case FileOfScript:
		p.Errorf(root.Get("steps"), diagnostic.CodeKey, "this is no workflow, but what a scripted model says, step by step").
			Hint = "a workflow plays it: model: script/" + filepath.Base(file)
		return nil
	case FileOfTests:
		p.Errorf(root, diagnostic.CodeKey, "this is no workflow, but tests of one").Hint = "they are run by flow test " + filepath.Base(file)
		return nil
	}
	if !l.format.file.Read(p.Reader, root, p) {
		return nil
	}
	p.warnTokens(root)
	p.completeWorkflow()
	p.check()
	if steps := root.Get("steps"); steps != nil && steps.Kind != tree.KindList { // reported, and the reason why no step is found
		p.Found = slices.DeleteFunc(p.Found, func(d *diagnostic.Diagnostic) bool { return d.Code == diagnostic.CodeReference && d.File == shown })
	}
	p.reader.CheckCompiled()
	p.workflow.Reads = merged(p.reader.Naming("file", "glob"))
	return p.workflow
}

// completeWorkflow sets what follows from other parts of the workflow.
func (p *parser) completeWorkflow() {
	w := p.workflow
	for _, name := range w.Secrets {
		if !slices.Contains(w.Env.Names, name) {
			w.Env.Names = append(w.Env.Names, name)
		}
	}
	w.Models = make(map[string][]string, len(p.models))
	for _, m := range p.models {
		for _, ref := range m.Value {
			w.Models[m.Name.Text] = append(w.Models[m.Name.Text], ref.Text)
		}
	}
	nameSteps(w.Steps, "")
	w.StepsLimitCost = slices.ContainsFunc(everyStep(w.Steps), func(s *Step) bool { return s.Budget.CostUSD > 0 })
	w.Sums = sumsOf(p.root) // of the schemas in files, too
}

// readAside reads a prompt or a script, which the workflow has to reach.
func (l *loader) readAside(p *parser, name word, code string) ([]byte, bool) {
	if l.opts.Reaches != nil {
		if err := l.opts.Reaches(p.workflow.File, p.path(name.Text)); err != nil {
			p.Errorf(name.Node, code, "the file %s can't be read: %s", name.Text, err)
			return nil, false
		}
	}
	return l.read(p, name, code)
}

// read reads a file that the workflow names.
func (l *loader) read(p *parser, name word, code string) ([]byte, bool) {
	if l.opts.ReadFile == nil {
		p.Errorf(name.Node, code, "the file %s can't be read here: other files are out of reach", name.Text)
		return nil, false
	}
	text, err := l.opts.ReadFile(p.path(name.Text))
	if err != nil {
		shown := name.Text
		if filepath.IsAbs(shown) {
			shown = l.nameOf(shown)
		}
		d := p.Errorf(name.Node, code, "the file %s can't be read: %s", shown, fileReason(err))
		if !filepath.IsAbs(name.Text) && errors.Is(err, fs.ErrNotExist) {
			d.Hint = "its path starts at the folder of the workflow's own file"
		}
		if l.opts.NearFile != nil && errors.Is(err, fs.ErrNotExist) {
			if near := l.opts.NearFile(p.path(name.Text)); near != "" && filepath.Clean(near) != filepath.Clean(p.workflow.File) {
				d.Hint = fmt.Sprintf("did you mean %s?", l.nameOf(p.fromHere(near)))
			}
		}
		return nil, false
	}
	return text, true
}

// fileReason returns an error about a file without the path, which the message has already.
func fileReason(err error) error {
	var inPath *fs.PathError
	if errors.As(err, &inPath) {
		return inPath.Err
	}
	return err
}
