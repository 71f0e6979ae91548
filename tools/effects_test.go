package tools

import "testing"

func TestConflict(t *testing.T) {
	reads := func(p ...string) Effects { return Effects{Reads: p} }
	writes := func(p ...string) Effects { return Effects{Writes: p} }
	tests := []struct {
		name string
		a, b Effects
		want bool
	}{
		{"nothing and everything", Effects{}, Everything(), false},
		{"everything twice", Everything(), Everything(), true},
		{"a read and everything", reads("/a"), Everything(), true},
		{"two reads", reads("/a"), reads("/a"), false},
		{"a read and a write", reads("/a"), writes("/a"), true},
		{"two writes", writes("/a"), writes("/a"), true},
		{"two files", writes("/a"), writes("/b"), false},
		{"a file in a folder", writes("/a/b"), reads("/a"), true},
		{"a name that starts alike", writes("/ab"), reads("/a"), false},
		{"the root", writes("/ab"), reads("/"), true},
		{"the second path", reads("/x", "/y"), writes("/z", "/y/f"), true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := test.a.Conflict(test.b); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
			if got := test.b.Conflict(test.a); got != test.want {
				t.Errorf("the other way round: got %v, want %v", got, test.want)
			}
		})
	}
}
