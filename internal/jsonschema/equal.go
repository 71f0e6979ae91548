package jsonschema

import "hash/maphash"

// equal reports whether two values are the same to JSON: 1 and 1.0 are, the
// order of keys counts for nothing.
func equal(a, b any) bool {
	switch a := a.(type) {
	case nil:
		return b == nil
	case bool:
		other, isBool := b.(bool)
		return isBool && a == other
	case string:
		other, isString := b.(string)
		return isString && a == other
	case []any:
		other, isList := b.([]any)
		if !isList || len(a) != len(other) {
			return false
		}
		for i := range a {
			if !equal(a[i], other[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		other, isObject := b.(map[string]any)
		return isObject && equalObjects(a, other)
	}
	m, isNumber := numberOf(a)
	n, also := numberOf(b)
	return isNumber && also && m == n
}

// equalObjects is equal for objects: the same keys, with equal values.
func equalObjects(a, b map[string]any) bool {
	if len(a) != len(b) {
		return false
	}
	for key, value := range a {
		if other, there := b[key]; !there || !equal(value, other) {
			return false
		}
	}
	return true
}

// hash gives equal values the same number. The seed keeps an attacker from
// choosing values that collide.
func hash(seed maphash.Seed, v any) uint64 {
	switch v := v.(type) {
	case nil:
		return 1
	case bool:
		return maphash.Comparable(seed, v)
	case string:
		return maphash.String(seed, v)
	case []any:
		sum := uint64(len(v)) + 2
		for _, element := range v {
			sum = sum*0x100000001b3 ^ hash(seed, element)
		}
		return maphash.Comparable(seed, sum)
	case map[string]any:
		sum := uint64(len(v)) + 3
		for key, element := range v { // in any order
			sum += maphash.Comparable(seed, [2]uint64{maphash.String(seed, key), hash(seed, element)})
		}
		return maphash.Comparable(seed, sum)
	}
	n, _ := numberOf(v)
	return maphash.Comparable(seed, n)
}

// A set distinguishes values in time that does not grow with their number.
type set struct {
	seed   maphash.Seed
	byHash map[uint64][]int // indexes of values
	values []any
}

// newSet gives an empty set for about so many values.
func newSet(size int) *set {
	return &set{seed: maphash.MakeSeed(), byHash: make(map[uint64][]int, size), values: make([]any, 0, size)}
}

// add adds a value, and gives the index of an equal one that came before, or -1.
func (s *set) add(v any) int {
	h := hash(s.seed, v)
	if i := s.find(h, v); i >= 0 {
		return i
	}
	s.byHash[h] = append(s.byHash[h], len(s.values))
	s.values = append(s.values, v)
	return -1
}

// has reports whether an equal value is in the set.
func (s *set) has(v any) bool { return s.find(hash(s.seed, v), v) >= 0 }

// find gives the index of an equal value with that hash, or -1.
func (s *set) find(h uint64, v any) int {
	for _, i := range s.byHash[h] {
		if equal(s.values[i], v) {
			return i
		}
	}
	return -1
}
