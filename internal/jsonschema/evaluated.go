package jsonschema

// evaluated is what of one object or array some schema has looked at, as far as
// unevaluatedProperties and unevaluatedItems ask for it. Nil keeps nothing.
type evaluated struct {
	properties map[string]bool
	items      indexes
}

// indexes are those below first, and the others named.
type indexes struct {
	first int
	named map[int]bool
}

func (x *indexes) has(i int) bool { return i < x.first || x.named[i] }

// add counts on where it can: items are mostly looked at in order.
func (x *indexes) add(i int) {
	if x.has(i) {
		return
	}
	if i == x.first {
		x.first++
		return
	}
	if x.named == nil {
		x.named = map[int]bool{}
	}
	x.named[i] = true
}

// item marks an item, by its index.
func (e *evaluated) item(i int) {
	if e != nil {
		e.items.add(i)
	}
}

// property marks a property.
func (e *evaluated) property(name string) {
	if e == nil {
		return
	}
	if e.properties == nil {
		e.properties = map[string]bool{}
	}
	e.properties[name] = true
}

// branch is where a schema keeps what it looks at that may turn out not to fit.
func (e *evaluated) branch() *evaluated {
	if e == nil {
		return nil
	}
	return &evaluated{}
}

// take adds what a branch has looked at, once it fits.
func (e *evaluated) take(from *evaluated) {
	if e == nil || from == nil {
		return
	}
	for name := range from.properties {
		e.property(name)
	}
	for i := range from.items.first {
		e.items.add(i)
	}
	for i := range from.items.named {
		e.items.add(i)
	}
}
