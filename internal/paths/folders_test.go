package paths

import (
	"slices"
	"testing"
)

func TestHolds(t *testing.T) {
	for _, tt := range []struct {
		folder, path string
		want         bool
	}{
		{"/a", "/a", true},
		{"/a", "/a/b", true},
		{"/a", "/ab", false},
		{"/a/b", "/a", false},
		{"/", "/a", true},
		{"/", "/", true},
	} {
		if got := Holds(tt.folder, tt.path); got != tt.want {
			t.Errorf("%s holds %s: %v", tt.folder, tt.path, got)
		}
	}
}

func TestCommon(t *testing.T) {
	for _, tt := range []struct {
		name       string
		a, b, want []string
	}{
		{"nothing", nil, []string{"/a"}, nil},
		{"the same", []string{"/a"}, []string{"/a"}, []string{"/a"}},
		{"the inner one", []string{"/a"}, []string{"/a/b", "/c"}, []string{"/a/b"}},
		{"either way", []string{"/a/b", "/c"}, []string{"/a", "/c/d"}, []string{"/a/b", "/c/d"}},
		{"names that begin alike", []string{"/ab"}, []string{"/a"}, nil},
		{"all of it", []string{"/"}, []string{"/b", "/a/x", "/a"}, []string{"/a", "/b"}},
	} {
		if got := CommonFolders(tt.a, tt.b); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
		if got := CommonFolders(tt.b, tt.a); !slices.Equal(got, tt.want) {
			t.Errorf("%s, the other way round: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestOutermost: a name that sorts between a folder and what is in it changes
// nothing.
func TestOutermost(t *testing.T) {
	got := Outermost([]string{"/a/b", "/a-b", "/a", "/a", "/c/d", "/c/d/e"})
	if want := []string{"/a", "/a-b", "/c/d"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
