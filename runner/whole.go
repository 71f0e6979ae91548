package runner

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/a-seed-11b9befa/flow/steps"
)

// A wholeText is the whole of a text of which the result has a part. It is read from its file
// in outputs/ if that has exactly the text. A text with a secret, which is masked in the file,
// and one for which the disk had no room stay in memory.
type wholeText struct {
	folder *folder
	name   string // of the file in outputs/; "" if the text is in memory
	size   int64
	text   string
}

// shelve leaves in the result the part of a long text that is shown, and keeps the whole for
// expressions.
func (r *StepResult) shelve(f *folder) {
	cut := r.Cut
	if cut == nil {
		return
	}
	r.whole = &wholeText{folder: f, size: int64(len(r.Text)), text: r.Text}
	if name := filepath.Base(cut.Path); cut.Path != "" && f.holds(name, r.Text) {
		r.whole.name, r.whole.text = name, ""
	}
	if r.Output == any(r.Text) {
		r.Output = cut.Shown
	}
	r.Text, r.Cut = cut.Shown, nil
}

// read returns the text.
func (w *wholeText) read() (string, error) {
	if w.name == "" {
		return w.text, nil
	}
	file, err := w.folder.output(w.name)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("outputs/%s, which has its full text, is missing in the run folder: rerun the step", w.name)
	}
	if err != nil {
		return "", err
	}
	defer file.Close()
	var b strings.Builder
	b.Grow(int(w.size))
	if _, err := io.CopyN(&b, file, w.size); err != nil {
		return "", fmt.Errorf("outputs/%s is damaged: %w", w.name, err)
	}
	return b.String(), nil
}

// seen returns the result as later steps see it, with its whole text.
func (r *StepResult) seen() (steps.Result, error) {
	if r.whole == nil {
		return r.Result, nil
	}
	text, err := r.whole.read()
	if err != nil {
		return r.Result, err
	}
	all := r.Result
	if all.Output == any(all.Text) {
		all.Output = text
	}
	all.Text = text
	return all, nil
}

// repeats takes over the text of another step.
func (r *StepResult) repeats(last *StepResult) (err error) {
	if last.elements == nil {
		r.Text, r.Output, r.whole = last.Text, last.Output, last.whole
		return nil
	}
	r.Text, r.Output, err = last.said()
	return err
}

// output opens a file in outputs/, also if the folder is not open, or no longer.
func (f *folder) output(name string) (*os.File, error) {
	name = "outputs/" + name
	if f.root != nil {
		if file, err := f.root.Open(name); !errors.Is(err, fs.ErrClosed) {
			return file, err
		}
	}
	return os.OpenInRoot(f.dir, name)
}

// holds reports whether a file in outputs/ begins with exactly that text: it has all that was said, with
// secrets masked.
func (f *folder) holds(name, text string) bool {
	info, err := f.root.Lstat(path.Join("outputs", name))
	return err == nil && info.Mode().IsRegular() && info.Size() >= int64(len(text)) && f.mask.String(text) == text
}
