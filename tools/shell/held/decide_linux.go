package held

import "path/filepath"

// decision says which effects of a command may land. A folder that is created or removed
// follows from its contents.
type decision struct {
	all     []effect
	allowed []bool
	settled []bool         // folders whose contents have decided about them
	folders map[string]int // the folders that are created or removed, by path and action
	denied  []Denial
	why     func(e effect) string // why an effect can't land, or ""
}

// decide separates the effects that may land from those that are denied. An empty folder
// needs a rule for itself, or for a file in it. A file with unchanged content is never
// reported as denied.
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
	// A created folder comes before its contents, and a removed one after them: each is
	// settled last.
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

// madeOrRemoved reports whether the effect creates or removes a folder.
func (e effect) madeOrRemoved() bool { return e.Folder && e.Do != setMode }

// settle decides about one effect by itself.
func (d *decision) settle(i int) {
	e := d.all[i]
	why := d.why(e)
	d.allowed[i] = why == ""
	if why != "" && !e.same {
		d.denied = append(d.denied, Denial{e.Change, why})
	}
}

// pass settles an empty folder, and applies the decision about a path to the folder around
// it: that is created if something in it is, and removed if all in it is.
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
