package recipe

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"time"
)

// pack writes the files as a tar archive, the same bytes on every machine: sorted, without times
// and owners, and not compressed, as other versions of a library compress differently.
func (t *Tree) pack() ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, name := range t.Names() {
		f := t.files[name]
		h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: int64(len(f.data)), ModTime: time.Unix(0, 0), Format: tar.FormatPAX}
		if f.executable {
			h.Mode = 0o755
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := w.Close() // before the bytes are taken: it writes the end of the archive
	return b.Bytes(), err
}

// unpack reads an archive into memory: files, folders, and links that stay inside. An empty folder is
// refused: git has none, but for a submodule, whose files are missing.
func unpack(archive []byte) (*Tree, error) {
	t := &Tree{}
	empty := map[string]bool{}
	r := tar.NewReader(bytes.NewReader(archive))
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			for _, dir := range slices.Sorted(maps.Keys(empty)) {
				return nil, fmt.Errorf("%q is an empty folder, or a submodule; submodules are not fetched", dir)
			}
			return t, t.settle()
		}
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(strings.TrimPrefix(h.Name, "./"), "/")
		delete(empty, path.Dir(name))
		switch h.Typeflag {
		case tar.TypeDir:
			if name != "" && name != "." {
				empty[name] = true
				err = checkName(name)
			}
		case tar.TypeReg:
			err = t.unpackFile(name, h, r)
		case tar.TypeSymlink:
			err = t.link(name, h.Linkname)
		default:
			err = errors.New(name + ": it is neither a file nor a folder")
		}
		if err != nil {
			return nil, err
		}
	}
}

// unpackFile adds a file. Its size is checked before it is read.
func (t *Tree) unpackFile(name string, h *tar.Header, r io.Reader) error {
	if err := t.admit(name, h.Size); err != nil {
		return err
	}
	data := make([]byte, h.Size)
	if _, err := io.ReadFull(r, data); err != nil {
		return err
	}
	t.files[name] = file{data, h.Mode&0o100 != 0}
	return nil
}
