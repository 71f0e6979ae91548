package held

import (
	"bytes"
	"encoding/binary"
)

// parseIndex reads git's index, see gitformat-index(5): its paths, and which of
// them have the name of the empty file. Ok is false where it does not have that
// form, with names of that length.
func parseIndex(text, empty []byte) (files map[string]bool, ok bool) {
	if len(text) < 12 || string(text[:4]) != "DIRC" {
		return nil, false
	}
	version, count := binary.BigEndian.Uint32(text[4:]), binary.BigEndian.Uint32(text[8:])
	if version < 2 || version > 4 {
		return nil, false
	}
	files = map[string]bool{}
	var path []byte
	at := 12
	for ; count > 0; count-- {
		start, name := at, at+40 // times, numbers, mode and size come first
		at = name + len(empty) + 2
		if at > len(text) {
			return nil, false
		}
		flags := binary.BigEndian.Uint16(text[at-2:])
		if flags&0x4000 != 0 {
			at += 2 // more flags
		}
		if version == 4 { // a path is told by how it differs from the one before
			cut, size := offset(text, at)
			if size == 0 || cut > len(path) {
				return nil, false
			}
			path, at = path[:len(path)-cut], at+size
		} else {
			path = path[:0]
		}
		if at > len(text) {
			return nil, false
		}
		end := bytes.IndexByte(text[at:], 0)
		if end < 0 {
			return nil, false
		}
		path = append(path, text[at:at+end]...)
		if length := int(flags & 0xfff); length != 0xfff && length != len(path) {
			return nil, false
		}
		at += end + 1
		if version < 4 {
			at = start + (at-start+7)/8*8
		}
		files[string(path)] = bytes.Equal(text[name:name+len(empty)], empty)
	}
	return files, true
}

// offset reads a number of several bytes, and how many there were; 0 where it ends
// too early.
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
