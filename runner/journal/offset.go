package journal

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// At reads the record whose line begins at an offset: the At of a record that was read or
// appended. The line is checked against its sum.
func (r *Reader) At(offset int64) (Record, error) {
	f, err := r.opened()
	if err != nil {
		return Record{}, err
	}
	return r.recordAt(f, offset)
}

// OnlyDataAt is [Reader.DataAt] without the record. It is faster: the record is not parsed.
func (r *Reader) OnlyDataAt(offset int64) (json.RawMessage, error) {
	f, err := r.opened()
	if err != nil {
		return nil, err
	}
	line, err := r.lineAt(f, offset)
	if err != nil {
		return nil, err
	}
	if data := dataIn(line); data != nil && !bytes.Contains(data, referenceStart) {
		return r.shown(data), nil
	}
	_, data, err := r.DataAt(offset)
	return data, err
}

// Last reads the last complete record. The error is [io.EOF] if there is none.
func (r *Reader) Last() (Record, error) {
	f, err := openRegular(r.root, File, os.O_RDONLY)
	if err != nil {
		return Record{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Record{}, err
	}
	for size := int64(bufferSize); ; size *= 2 {
		from := max(info.Size()-size, 0)
		end, err := readPart(f, from, info.Size()-from)
		if err != nil {
			return Record{}, err
		}
		end = end[:bytes.LastIndexByte(end, '\n')+1]
		start := bytes.LastIndexByte(end[:max(len(end)-1, 0)], '\n') + 1
		switch {
		case from > 0 && start == 0: // the line begins before
		case len(end) == 0:
			return Record{}, io.EOF
		default:
			return r.recordAt(f, from+int64(start))
		}
	}
}

// recordAt reads the record whose line begins at an offset.
func (r *Reader) recordAt(f *os.File, offset int64) (Record, error) {
	line, err := r.lineAt(f, offset)
	if err != nil {
		return Record{}, err
	}
	read, err := ParseRecord(line)
	if err != nil {
		return Record{}, r.wrongAt(offset, err.Error())
	}
	read.At = offset
	return read, nil
}

func (r *Reader) wrongAt(offset int64, what string) error {
	return fmt.Errorf("%s, at byte %d: %s", r.name, offset, what)
}

// lineAt reads the line at an offset, with the end of the line before it, from whose sum its
// own continues. It returns the line without its sum.
func (r *Reader) lineAt(f *os.File, offset int64) (line []byte, err error) {
	const first = 1 << 10
	before := int64(sumLength + 1)
	if offset == 0 {
		before = 0
	}
	if offset < before {
		return nil, r.wrongAt(offset, "no line begins here")
	}
	for size := int64(first); ; size *= 2 {
		if line, err = readPart(f, offset-before, before+size); err != nil {
			return nil, err
		}
		if n := bytes.IndexByte(line[min(before, int64(len(line))):], '\n'); n >= 0 {
			line = line[:int(before)+n+1]
			break
		}
		if int64(len(line)) < before+size {
			return nil, r.wrongAt(offset, "no line begins here")
		}
	}
	var sum [4]byte
	if offset > 0 {
		written := line[len(sumStart) : len(sumStart)+2*len(sum)]
		if n, err := hex.Decode(sum[:], written); err != nil || n != len(sum) || line[before-1] != '\n' {
			return nil, r.wrongAt(offset, "no line begins here")
		}
		line = line[before:]
	}
	body := line[:max(len(line)-sumLength-1, 0)]
	chained := sumOf(uint32(sum[0])<<24|uint32(sum[1])<<16|uint32(sum[2])<<8|uint32(sum[3]), body)
	if !bytes.Equal(line[len(body):], appendSum(nil, chained)) {
		return nil, r.wrongAt(offset, "the line was changed")
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
