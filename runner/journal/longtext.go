package journal

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
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

// referenceTo returns the reference to a text.
func referenceTo(text []byte) reference {
	sum := fmt.Sprintf("%x", sha256.Sum256(text))
	return reference{path.Join(outputs, sum+".json"), int64(len(text)), sum}
}

// moveLongTexts writes each long text in JSON into a file, and puts a reference in its place. A key
// stays.
func (j *Journal) moveLongTexts(data []byte) (short []byte, err error) {
	data = bytes.ReplaceAll(data, referenceStart, escapedStart)
	if len(data) <= maxText || j.peeks {
		return data, nil
	}
	for start := bytes.IndexByte(data, '"'); start >= 0; start = bytes.IndexByte(data, '"') {
		end := endOfString(data, start)
		text := data[start:end]
		short = append(short, data[:start]...)
		if data = data[end:]; len(text) > maxText && !bytes.HasPrefix(data, []byte(":")) {
			if text, err = j.writeText(text); err != nil {
				return nil, err
			}
		}
		short = append(short, text...)
	}
	return append(short, data...), nil
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

// writeText writes the file of a text to the disk, completely or not at all, unless it exists. It
// returns the reference to it.
func (j *Journal) writeText(text []byte) (ref []byte, err error) {
	to := referenceTo(text)
	if ref, err = jsonline.Encode(to); err != nil {
		return nil, err
	}
	if info, err := j.root.Lstat(to.File); err == nil && info.Mode().IsRegular() && info.Size() == to.Bytes {
		return ref, nil
	}
	if err := j.root.MkdirAll(outputs, 0o700); err != nil {
		return nil, err
	}
	unfinished := path.Join(outputs, ".new-"+rand.Text())
	f, err := openRegular(j.root, unfinished, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return nil, err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = j.root.Rename(unfinished, to.File)
	}
	if err != nil {
		return nil, errors.Join(err, j.root.Remove(unfinished))
	}
	return ref, syncFolder(j.root, outputs)
}

// withLongTexts puts the texts of references back into data.
func (r *Reader) withLongTexts(data []byte) (whole []byte, err error) {
	for start := bytes.Index(data, referenceStart); start >= 0; start = bytes.Index(data, referenceStart) {
		end := start + bytes.IndexByte(data[start:], '}') + 1
		end = max(end, start+len(referenceStart))
		text, err := r.longText(data[start:end])
		if err != nil && r.veil == nil {
			text, err = jsonline.Encode("lost: " + err.Error())
		}
		if err != nil {
			return nil, err
		}
		whole, data = append(append(whole, data[:start]...), text...), data[end:]
	}
	if whole == nil {
		return data, nil
	}
	return append(whole, data...), nil
}

// longText reads the text of a reference.
func (r *Reader) longText(ref []byte) ([]byte, error) {
	var to reference
	if err := json.Unmarshal(ref, &to); err != nil || to.File != path.Join(outputs, path.Base(to.File)) {
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
	text, err := io.ReadAll(io.LimitReader(f, maxLongText))
	if err == nil && referenceTo(text) != to {
		err = errors.New(to.File + " was changed")
	}
	return text, err
}
