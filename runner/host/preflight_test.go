package host

import "testing"

func TestHasTurns(t *testing.T) {
	for _, tt := range []struct {
		script []string
		path   string
		want   bool
	}{
		{[]string{"*"}, "one", true},
		{[]string{"one"}, "one", true},
		{[]string{"one"}, "group/one", true},
		{[]string{"group/one"}, "group/one", true},
		{[]string{"one@2"}, "one", true},
		{[]string{"one/3"}, "one", true},
		{[]string{"group/one/3@2"}, "group/one", true},
		{[]string{"two", "ones"}, "one", false},
		{[]string{"group"}, "group/one", false},
		{nil, "one", false},
	} {
		if got := hasTurns(tt.script, tt.path); got != tt.want {
			t.Errorf("%q has turns for %s: %v", tt.script, tt.path, got)
		}
	}
}
