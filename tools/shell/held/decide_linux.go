package held

import "path/filepath"

// A decision is what may land of all that a command has changed. A folder that is
// made or removed is as its contents are.
type decision struct {
	all     []effect
	allowed []bool
	settled []bool         // folders with something in them that was decided
	folders map[string]int // those that are made or removed, by path and action
	denied  []Denial
	why     func(e effect) string // why one can't land, or ""
}

// decide separates what may land from what is denied. An empty folder needs a rule for
// itself, or for what would be in it. A file whose content is as it was is no denial.
func (v *View) decide(all []effect, judge Judge) (Outcome, []effect) {
	d := decision{
		all: all, allowed: make([]bool, len(all)), settled: make([]bool, len(all)), folders: map[string]int{},
		why: func(e effect) string { return v.denial(e, judge) },
	}
	for i, e := range all {
		if e.madeOrRemoved() {
			d.folders[e.Path+"\x00"+string(e.Do)] = i
		} else {
			d.settle(i)
		}
	}
	// Folders that are made come before what is in them: backwards, each is settled
	// after its contents. Removed ones come after: forwards.
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].Kind != Delete {
			d.pass(i)
		}
	}
	for i := range all {
		if all[i].Kind == Delete {
			d.pass(i)
		}
	}
	var effects []effect
	for i, e := range all {
		if d.allowed[i] {
			effects = append(effects, e)
		}
	}
	return Outcome{Denied: d.denied}, effects
}

// madeOrRemoved reports whether it is a folder that is there only before or after.
func (e effect) madeOrRemoved() bool { return e.Folder && e.Do != setMode }

// settle decides about one path by itself.
func (d *decision) settle(i int) {
	e := d.all[i]
	why := d.why(e)
	d.allowed[i] = why == ""
	if why != "" && !e.same {
		d.denied = append(d.denied, Denial{e.Change, why})
	}
}

// pass settles a folder that has nothing in it, and has a path count for the folder
// that it is in: that is made if something in it is, and removed if all in it is.
func (d *decision) pass(i int) {
	e := d.all[i]
	if e.madeOrRemoved() && !d.settled[i] {
		d.settle(i)
	}
	do := makeFolder
	if e.Kind == Delete {
		do = removeFolder
	}
	parent, ok := d.folders[filepath.Dir(e.Path)+"\x00"+string(do)]
	if !ok {
		return
	}
	if !d.settled[parent] {
		d.settled[parent], d.allowed[parent] = true, do == removeFolder
	}
	if do == makeFolder {
		d.allowed[parent] = d.allowed[parent] || d.allowed[i]
	} else {
		d.allowed[parent] = d.allowed[parent] && d.allowed[i]
	}
}
