package paths

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"testing"
)

func TestIn(t *testing.T) {
	for _, tt := range []struct{ folder, path, want string }{
		{"/a/b", "c", "/a/b/c"},
		{"/a/b", "../c/", "/a/c"},
		{"/a/b", "/c/../d", "/d"},
		{"/a/b/", "", "/a/b"},
		{"", "", ""},
		{"", "c", "c"},
	} {
		if got := In(tt.folder, tt.path); got != tt.want {
			t.Errorf("%q in %q: %q, want %q", tt.path, tt.folder, got, tt.want)
		}
	}
}

func TestVendored(t *testing.T) {
	for _, tt := range []struct{ path, want string }{
		{"/a/flow_vendor/r/b/c", "/a/flow_vendor/r"},
		{"/a/flow_vendor/r", "/a/flow_vendor/r"},
		{"/a/flow_vendor/r/flow_vendor/s/b", "/a/flow_vendor/r"},
		{"/a/flow_vendor", ""},
		{"/a/my_flow_vendor/r/b", ""},
	} {
		if got := Vendored(tt.path); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.path, got, tt.want)
		}
	}
}

func TestCause(t *testing.T) {
	other := errors.New("other")
	for _, tt := range []struct{ err, want error }{
		{&fs.PathError{Op: "open", Path: "/secret", Err: fs.ErrExist}, fs.ErrExist},
		{fmt.Errorf("outer: %w", &os.LinkError{Op: "rename", Old: "/a", New: "/b", Err: fs.ErrExist}), fs.ErrExist},
		{other, other},
		{nil, nil},
	} {
		if got := Cause(tt.err); got != tt.want {
			t.Errorf("%v: %v, want %v", tt.err, got, tt.want)
		}
	}
}
