package journal

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
)

// A text of more than 256 KiB does not stand in its record: a file in outputs/ has its JSON, and a
// reference to that file takes its place.

const (
	outputs     = "outputs"
	maxText     = 256 << 10 // the bytes, as JSON, of a text that stands in its record
	maxLongText = 1 << 30   // the bytes of a file that are read back
)

// A reference stands for a long text. Data of the run that looks like one is written with an escape
// in its first key.
type reference struct {
	File   string `json:"file"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

var (
	referenceStart = []byte(`{"file":"` + outputs + `/`)
	escapedStart   = []byte(`{"\u0066ile":"` + outputs + `/`)
)

func longTextName(digest string) string { return path.Join(outputs, digest+".json") }

// store masks the data of a record, and moves its long texts into files.
func (j *Journal) store(r *Record) error {
	data := []byte(r.Data)
	if data == nil {
		return nil
	}
	data = j.veil.hide(data)
	if bytes.IndexByte(data, '\n') >= 0 {
		var line bytes.Buffer
		if err := json.Compact(&line, data); err != nil {
			return fmt.Errorf("its data is no JSON: %w", err)
		}
		data = line.Bytes()
	}
	data, err := j.moveLongTexts(bytes.ReplaceAll(data, referenceStart, escapedStart))
	r.Data = data
	return err
}

// moveLongTexts writes each long text in JSON into a file, and puts a reference in its place.
func (j *Journal) moveLongTexts(data []byte) ([]byte, error) {
	if len(data) <= maxText || j.file == nil {
		return data, nil
	}
	var short []byte
	for {
		start, end := longText(data)
		if start == end {
			return append(short, data...), nil
		}
		text := data[start:end]
		sum := digest(text)
		if err := j.writeFile(longTextName(sum), text); err != nil {
			return nil, err
		}
		ref, err := jsonline.Encode(reference{longTextName(sum), int64(len(text)), sum})
		if err != nil {
			return nil, err
		}
		short, data = append(append(short, data[:start]...), ref...), data[end:]
	}
}

// longText finds the first long text in JSON, or in the rest of it behind a value, that is no key.
func longText(data []byte) (start, end int) {
	for end < len(data) {
		quote := bytes.IndexByte(data[end:], '"')
		if quote < 0 {
			break
		}
		start = end + quote
		end = endOfString(data, start)
		if end-start > maxText && !bytes.HasPrefix(bytes.TrimLeft(data[end:min(end+8, len(data))], " "), []byte(":")) {
			return start, end
		}
	}
	return 0, 0
}

// endOfString returns the index behind the string that begins at an index.
func endOfString(data []byte, start int) int {
	for i := start + 1; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(data)
}

// writeFile writes a file, completely or not at all, unless it exists.
func (j *Journal) writeFile(name string, data []byte) error {
	if info, err := j.root.Lstat(name); err == nil && info.Mode().IsRegular() && info.Size() == int64(len(data)) {
		return nil
	}
	if err := j.root.Mkdir(path.Dir(name), 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	unfinished := path.Join(path.Dir(name), ".new-"+rand.Text())
	f, err := openRegular(j.root, unfinished, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = j.root.Rename(unfinished, name)
	}
	if err != nil {
		return errors.Join(err, j.root.Remove(unfinished))
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.fresh = append(j.fresh, name)
	return nil
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Data returns the data of a record of this journal, with long texts and secrets put back; nil if it
// has none. If the file of a text is missing or was changed, a reader of [OpenReader] returns a text
// that says so in its place; any other reader returns an [*Error] at the record's line.
func (r *Reader) Data(of Record) (json.RawMessage, error) {
	data, err := r.withLongTexts(of.Data)
	if err != nil {
		message := err.Error()
		if !of.Unit.IsZero() {
			message += ", of " + of.Unit.String()
		}
		return nil, &Error{r.name, of.Seq, message, err, of.Unit.WithAttempt(0)}
	}
	return r.shown(data), nil
}

// withLongTexts puts the texts of references back into data.
func (r *Reader) withLongTexts(data []byte) ([]byte, error) {
	var whole []byte
	for {
		start := bytes.Index(data, referenceStart)
		if start < 0 {
			if whole == nil {
				return data, nil
			}
			return append(whole, data...), nil
		}
		end := start + bytes.IndexByte(data[start:], '}') + 1
		text, err := r.longTextOf(data[start:max(start, end)])
		if err != nil && r.shows {
			text, err = jsonline.Encode("lost: " + err.Error())
		}
		if err != nil {
			return nil, err
		}
		whole, data = append(append(whole, data[:start]...), text...), data[max(start, end):]
	}
}

// longTextOf reads the text of a reference.
func (r *Reader) longTextOf(ref []byte) ([]byte, error) {
	var to reference
	if err := json.Unmarshal(ref, &to); err != nil || to.File != longTextName(to.SHA256) || path.Dir(to.File) != outputs {
		return nil, fmt.Errorf("%.80s names no file of a text", ref)
	}
	f, err := openRegular(r.root, to.File, os.O_RDONLY)
	if errors.Is(err, os.ErrNotExist) {
		return nil, errors.New(to.File + " is missing")
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if to.Bytes > maxLongText {
		return nil, fmt.Errorf("%s has %d bytes, of which %d may be read", to.File, to.Bytes, maxLongText)
	}
	text, err := io.ReadAll(io.LimitReader(f, to.Bytes+1))
	if err != nil {
		return nil, err
	}
	if int64(len(text)) != to.Bytes || digest(text) != to.SHA256 {
		return nil, errors.New(to.File + " was changed")
	}
	return text, nil
}

// Decode decodes the data of a record, as [Reader.Data] returns it, with
// [jsonline.Decode].
func (r *Reader) Decode(of Record, into any) error {
	data, err := r.Data(of)
	if err == nil && data == nil {
		err = errors.New("it has no data")
	}
	if err == nil {
		err = jsonline.Decode(data, into)
	}
	if err != nil {
		return fmt.Errorf("record %d: %w", of.Seq, err)
	}
	return nil
}

// DataAt is [Reader.At] and [Reader.Data] in one.
func (r *Reader) DataAt(offset int64) (of Record, data json.RawMessage, err error) {
	if of, err = r.At(offset); err == nil {
		data, err = r.Data(of)
	}
	return of, data, err
}

// Start reads the description of a run in a record: the first one, or one with Changed.
func (r *Reader) Start(of Record) (s Start, err error) {
	if of.Kind == Run {
		return s, r.Decode(of, &s)
	}
	var with Resumption
	if err = r.Decode(of, &with); err == nil && with.Start == nil {
		err = fmt.Errorf("record %d: it does not say what the run is from here on", of.Seq)
	}
	if err != nil {
		return s, err
	}
	return *with.Start, nil
}
