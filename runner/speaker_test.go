package runner

import (
	"path/filepath"
	"strings"
	"testing"
)

// A run that failed names the unit in which the failure began, also if an earlier process recorded it.
func TestTheUnitThatFailed(t *testing.T) {
	for _, tt := range []struct{ name, source, want string }{
		{"an element", "name: t\nsteps:\n- {id: each, foreach: [0, 1, 2], max_parallel: 1, on_error: finish, run: 'test ${{ item }} != 1'}\n", "each[1]"},
		{"a step in an element", "name: t\nsteps:\n- {id: each, foreach: [0, 1, 2], max_parallel: 1, on_error: finish, steps: [{id: one, run: 'true'}, {id: two, run: 'test ${{ item }} != 1'}]}\n", "each[1]/two"},
		{"an element in an element", "name: t\nsteps:\n- {id: each, foreach: [0, 1], max_parallel: 1, on_error: finish, as: n, steps: [{id: in, foreach: [5, 6, 7], max_parallel: 1, on_error: finish, run: 'test ${{ n }}${{ item }} != 16'}]}\n", "each[1]/in[1]"},
		{"a step in a group", "name: t\nsteps:\n- {id: g, steps: [{id: one, run: 'true'}, {id: two, run: 'false'}]}\n", "g/two"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tr := newTrial(t)
			r := tr.run(tt.source)
			if got := r.Error.Unit.String(); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
			run := filepath.Join(tr.dir, "run")
			dir := cutTo(t, run, strings.Count(read(t, run), "\n")-1) // killed before its end
			tr.change = func(o *Options) { o.Dir, o.Resume = dir, &Resumption{} }
			r, err := tr.try(tt.source)
			if err != nil {
				t.Fatal(err)
			}
			if got := r.Error.Unit.String(); got != tt.want {
				t.Errorf("resumed: %s, want %s", got, tt.want)
			}
		})
	}
}
