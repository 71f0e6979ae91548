package host

import "testing"

func TestIsPlayedTo(t *testing.T) {
	for _, tt := range []struct {
		name string
		path string
		want bool
	}{
		{"*", "one", true},
		{"one", "one", true},
		{"one", "group/one", true},
		{"group/one", "group/one", true},
		{"one@2", "one", true},
		{"one/3", "one", true},
		{"group/one/3@2", "group/one", true},
		{"two", "one", false},
		{"ones", "one", false},
		{"group", "group/one", false},
	} {
		if got := isPlayedTo(tt.name, tt.path); got != tt.want {
			t.Errorf("the turns of %q are played to %s: %v", tt.name, tt.path, got)
		}
	}
}
