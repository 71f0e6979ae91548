package tools

// Keep is the part of a long output that is kept.
type Keep string

// The parts that can be kept. The zero value is [KeepHead].
const (
	KeepHead Keep = "head"
	KeepTail Keep = "tail"
	KeepBoth Keep = "both"
)
