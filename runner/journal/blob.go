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
	"github.com/a-seed-11b9befa/flow/runner/record"
)

// maxBlob bounds the size of a blob that is read back.
const maxBlob = 1 << 30

func blobName(v record.Value) string { return path.Join(blobs, v.Digest()) }

// Data returns the data of a record of this journal, with secrets put back; nil if it has
// none. If its blob is missing or was changed, a reader of [OpenReader] returns a stand-in that
// says so; any other reader returns an [*Error] at the record's line.
func (r *Reader) Data(of record.Record) (json.RawMessage, error) {
	if of.Data.Digest() == "" {
		return r.shown(of.Data.Raw()), nil
	}
	data, err := r.readBlob(of.Data)
	if err != nil && r.stands {
		if instead := standIn(of, err); instead != nil {
			return instead, nil
		}
	}
	if err != nil {
		message := err.Error()
		if !of.Unit.IsZero() {
			message += ", of " + of.Unit.String()
		}
		return nil, &Error{r.name, of.Seq, message, err, of.Unit.WithAttempt(0)}
	}
	return r.shown(data), nil
}

// Decode decodes the data of a record, as [Reader.Data] returns it, with
// [jsonline.Decode].
func (r *Reader) Decode(of record.Record, into any) error {
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
func (r *Reader) DataAt(offset int64) (of record.Record, data json.RawMessage, err error) {
	if of, err = r.At(offset); err == nil {
		data, err = r.Data(of)
	}
	return of, data, err
}

func (r *Reader) readBlob(v record.Value) ([]byte, error) {
	name := blobName(v)
	f, err := openRegular(r.root, name, os.O_RDONLY)
	if errors.Is(err, os.ErrNotExist) {
		return nil, errors.New(name + " is missing")
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if v.Size() > maxBlob {
		return nil, fmt.Errorf("%s has %d bytes, of which %d may be read", name, v.Size(), maxBlob)
	}
	data, err := io.ReadAll(io.LimitReader(f, v.Size()+1))
	if err != nil {
		return nil, err
	}
	if digest(data) != v.Digest() || int64(len(data)) != v.Size() {
		return nil, errors.New(name + " is not as it was written")
	}
	return data, nil
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// store masks the data of a record, and writes it as a blob if it is too large for a line.
func (j *Journal) store(r *record.Record) error {
	data := []byte(r.Data.Raw())
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
	if r.Data = record.Inline(data); r.Data.Fits() {
		return nil
	}
	blob := record.Blob(digest(data), int64(len(data)))
	if err := j.writeBlob(blobName(blob), data); err != nil {
		return err
	}
	r.Data = blob
	return nil
}

// writeBlob writes a blob, completely or not at all, unless it exists.
func (j *Journal) writeBlob(name string, data []byte) error {
	if info, err := j.root.Lstat(name); err == nil && info.Mode().IsRegular() && info.Size() == int64(len(data)) {
		return nil
	}
	if err := j.root.Mkdir(blobs, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	unfinished := path.Join(blobs, ".new-"+rand.Text())
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

// Start reads the description of a run in a record: the first one, or one with Changed.
func (r *Reader) Start(of record.Record) (s record.Start, err error) {
	if of.Kind == record.Run {
		return s, r.Decode(of, &s)
	}
	var with record.Resumption
	if err = r.Decode(of, &with); err == nil && with.Start == nil {
		err = fmt.Errorf("record %d: it does not say what the run is from here on", of.Seq)
	}
	if err != nil {
		return s, err
	}
	return *with.Start, nil
}
