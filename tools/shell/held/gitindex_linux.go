package held

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/paths"
)

// index is git's index: the hashes of files by path.
type index map[string]string

// maxIndex is the size of an index that is read, and of all paths in it, in bytes.
const maxIndex = 512 << 20

// readIndex reads the file of an index.
func readIndex(path string) (index, error) {
	file, err := paths.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxIndex))
	if err != nil {
		return nil, err
	}
	for _, length := range []int{sha1.Size, sha256.Size} {
		if files, ok := parseIndex(text, length); ok {
			return files, nil
		}
	}
	return nil, os.ErrInvalid
}

// blob returns git's hash of a file's content. length is that of the hash, in bytes; if no
// hash of git has it, the result is "".
func blob(content []byte, length int) string {
	var sum hash.Hash
	switch length {
	case sha1.Size:
		sum = sha1.New()
	case sha256.Size:
		sum = sha256.New()
	default:
		return ""
	}
	fmt.Fprintf(sum, "blob %d\x00", len(content))
	sum.Write(content)
	return string(sum.Sum(nil))
}

// isEmpty reports whether a path of the index is an empty file.
func (i index) isEmpty(path string) bool {
	name, there := i[path]
	return there && name == blob(nil, len(name))
}

// below reports whether the index has a file in a folder.
func (i index) below(folder string) bool {
	for path := range i {
		if strings.HasPrefix(path, folder+"/") {
			return true
		}
	}
	return false
}

// strays returns a path that leads out of the working tree or into a .git, or "". Git itself makes
// no index with one, but a checkout of one writes there, such as a hook.
func (i index) strays() string {
	for path := range i {
		path = strings.TrimSuffix(path, "/") // a folder of a sparse index
		if !filepath.IsLocal(path) || slices.ContainsFunc(strings.Split(path, "/"), func(s string) bool { return s == "" || s == "." || s == ".." || gitSegment(s) >= 0 }) {
			return path
		}
	}
	return ""
}

// parseIndex parses git's index, as gitformat-index(5) describes it, with hashes of that
// length. ok is false if text is not of that form.
func parseIndex(text []byte, length int) (files index, ok bool) {
	if len(text) < 12 || string(text[:4]) != "DIRC" {
		return nil, false
	}
	version, count := binary.BigEndian.Uint32(text[4:]), binary.BigEndian.Uint32(text[8:])
	if version < 2 || version > 4 {
		return nil, false
	}
	files = index{}
	var path []byte
	at, size := 12, 0
	for ; count > 0; count-- {
		start, name := at, at+40 // times, numbers, mode and size come first
		at = name + length + 2
		if at > len(text) {
			return nil, false
		}
		flags := binary.BigEndian.Uint16(text[at-2:])
		if flags&0x4000 != 0 {
			at += 2 // more flags
		}
		if path, at, ok = parsePath(text, at, path, version); !ok {
			return nil, false
		}
		if size += len(path); size > maxIndex { // the paths of version 4 may be longer than the file
			return nil, false
		}
		if long := int(flags & 0xfff); long != 0xfff && long != len(path) {
			return nil, false
		}
		if version < 4 {
			at = start + (at-start+7)/8*8
		}
		files[string(path)] = string(text[name : name+length])
	}
	return files, true
}

// parsePath parses the path at an offset, and returns the offset after it. Version 4 has
// only the difference from the path before.
func parsePath(text []byte, at int, before []byte, version uint32) (path []byte, next int, ok bool) {
	path = before[:0]
	if version == 4 {
		cut, size := offset(text, at)
		if size == 0 || cut > len(before) {
			return nil, 0, false
		}
		path, at = before[:len(before)-cut], at+size
	}
	if at > len(text) {
		return nil, 0, false
	}
	end := bytes.IndexByte(text[at:], 0)
	if end < 0 {
		return nil, 0, false
	}
	return append(path, text[at:at+end]...), at + end + 1, true
}

// offset parses a number of variable size, and returns its size, which is 0 if it is cut
// off.
func offset(text []byte, at int) (value, size int) {
	for i := at; i < len(text) && i < at+5; i++ {
		value = value<<7 | int(text[i]&0x7f)
		if text[i]&0x80 == 0 {
			return value, i - at + 1
		}
		value++
	}
	return 0, 0
}
