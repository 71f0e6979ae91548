package runner

import "testing"

// TestFind: a result is found by its address, also inside of elements; rounds and
// attempts in the address are not looked at.
func TestFind(t *testing.T) {
	r := newTrial(t).run(`
name: t
steps:
  - {id: first, run: echo one}
  - {id: never, if: 1 > 2, run: echo never}
  - id: each
    foreach: [a, b, c]
    when: item != "b"
    steps:
      - {id: say, run: "echo ${{ item }}"}
      - {id: inner, foreach: [1, 2], run: "echo ${{ item }}"}
  - id: loop
    until: round == 2
    steps: [{id: count, run: "echo ${{ round }}"}]
`)
	for _, tt := range []struct {
		address, text string
		found         bool
	}{
		{"first", "one", true},
		{"first~1", "one", true},
		{"never", "", true},
		{"each", "", true},
		{"each[0]/say", "a", true},
		{"each[2]/say", "c", true},
		{"each[2]/inner", "", true},
		{"loop/count", "2", true},
		{"loop/count#1", "2", true},
		{"each[0]", "", false},
		{"each[2]/inner[1]", "", false},
		{"each[1]/say", "", false}, // it was left out
		{"each[9]/say", "", false},
		{"each/say", "", false},
		{"first[0]/say", "", false},
		{"first/say", "", false},
		{"second", "", false},
		{"second[0]/say", "", false},
	} {
		found, err := r.Find(unitOf(t, tt.address))
		if err != nil || (found != nil) != tt.found {
			t.Errorf("%s: %v, %v", tt.address, found, err)
		} else if found != nil && tt.text != "" && found.Text != tt.text {
			t.Errorf("%s: %q, want %q", tt.address, found.Text, tt.text)
		}
	}
}

// TestFindInALongList: each element of a list is found by its index, and no other one.
func TestFindInALongList(t *testing.T) {
	const count = 2000
	var leftOut []int
	all := make([]*StepResult, count)
	for i := range count {
		all[i] = &StepResult{}
		if i%2 == 1 {
			leftOut = append(leftOut, i)
		}
	}
	e := inMemory(all...)
	e.LeftOut = leftOut
	r := &StepResult{elements: e}
	for index := range count {
		e, err := r.elementAt(index)
		if err != nil || (e != nil) != (index%2 == 0) || e != nil && e.Index != index {
			t.Fatalf("element %d: %+v, %v", index, e, err)
		}
	}
}
