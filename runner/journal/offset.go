package journal

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/a-seed-11b9befa/flow/runner/record"
)

// At reads the record whose line begins at a place: the At of a record that was read or
// appended. The line is checked against its sum.
func (r *Reader) At(place int64) (record.Record, error) {
	f, err := r.opened()
	if err != nil {
		return record.Record{}, err
	}
	return r.recordAt(f, place)
}

// OnlyDataAt is [Reader.DataAt] without the record. It is faster: the record is not parsed.
func (r *Reader) OnlyDataAt(place int64) (json.RawMessage, error) {
	f, err := r.opened()
	if err != nil {
		return nil, err
	}
	line, err := r.lineAt(f, place)
	if err != nil {
		return nil, err
	}
	if data := record.InlineData(line); data != nil {
		return r.shown(data), nil
	}
	_, data, err := r.DataAt(place)
	return data, err
}

// Last reads the last complete record. The error is [io.EOF] if there is none.
func (r *Reader) Last() (record.Record, error) {
	f, err := openRegular(r.root, File, os.O_RDONLY)
	if err != nil {
		return record.Record{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return record.Record{}, err
	}
	from := max(info.Size()-2*maxLine, 0) // room for a complete line and a torn one
	end, err := readPart(f, from, info.Size()-from)
	if err != nil {
		return record.Record{}, err
	}
	end = end[:bytes.LastIndexByte(end, '\n')+1]
	if len(end) == 0 {
		return record.Record{}, io.EOF
	}
	return r.recordAt(f, from+int64(bytes.LastIndexByte(end[:len(end)-1], '\n')+1))
}

// recordAt reads the record whose line begins at a place.
func (r *Reader) recordAt(f *os.File, place int64) (record.Record, error) {
	line, err := r.lineAt(f, place)
	if err != nil {
		return record.Record{}, err
	}
	read, err := record.Parse(line)
	if err != nil {
		return record.Record{}, r.wrongAt(place, err.Error())
	}
	read.At = place
	return read, nil
}

func (r *Reader) wrongAt(place int64, what string) error {
	return fmt.Errorf("%s, at byte %d: %s", r.name, place, what)
}

// lineAt reads the line at a place, with the end of the line before it, from whose sum its
// own continues. It returns the line without its sum.
func (r *Reader) lineAt(f *os.File, place int64) (line []byte, err error) {
	const first = 1 << 10
	before := int64(sumLength + 1)
	if place == 0 {
		before = 0
	}
	if place < before {
		return nil, r.wrongAt(place, "no line begins here")
	}
	for size := int64(first); ; size *= 2 {
		if line, err = readPart(f, place-before, before+size); err != nil {
			return nil, err
		}
		if n := bytes.IndexByte(line[min(before, int64(len(line))):], '\n'); n >= 0 {
			line = line[:int(before)+n+1]
			break
		}
		if size > maxLine || int64(len(line)) < before+size {
			return nil, r.wrongAt(place, "no line begins here")
		}
	}
	var sum [4]byte
	if place > 0 {
		written := line[len(sumStart) : len(sumStart)+2*len(sum)]
		if n, err := hex.Decode(sum[:], written); err != nil || n != len(sum) || line[before-1] != '\n' {
			return nil, r.wrongAt(place, "no line begins here")
		}
		line = line[before:]
	}
	body := line[:max(len(line)-sumLength-1, 0)]
	chained := sumOf(uint32(sum[0])<<24|uint32(sum[1])<<16|uint32(sum[2])<<8|uint32(sum[3]), body)
	if !bytes.Equal(line[len(body):], appendSum(nil, chained)) {
		return nil, r.wrongAt(place, "the line is not as it was written")
	}
	return append(body, '}'), nil
}

// readPart reads a part of a file; less if the file ends before.
func readPart(f *os.File, from, size int64) ([]byte, error) {
	part := make([]byte, size)
	n, err := f.ReadAt(part, from)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return part[:n], err
}
