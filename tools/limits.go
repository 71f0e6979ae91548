package tools

import "cmp"

// Keep is the part of a long output that is kept.
type Keep string

// The parts that can be kept. The zero value is [KeepHead].
const (
	KeepHead Keep = "head"
	KeepTail Keep = "tail"
	KeepBoth Keep = "both"
)

// Limits limit how much of an output a model is shown. A longer output is truncated. A
// number that is not positive stands for the default.
type Limits struct {
	Lines     int  // the default is 2,000
	Bytes     int  // with the marks of shortened lines; the default is 51,200
	LineChars int  // characters; a longer line is shortened; the default is 2,000
	Keep      Keep // the default is that of the tool's [Spec]
}

var defaultLimits = Limits{Lines: 2000, Bytes: 50 << 10, LineChars: 2000, Keep: KeepHead}

// or returns l with its defaults replaced by those of m.
func (l Limits) or(m Limits) Limits {
	return Limits{
		Lines: cmp.Or(max(l.Lines, 0), m.Lines), Bytes: cmp.Or(max(l.Bytes, 0), m.Bytes),
		LineChars: cmp.Or(max(l.LineChars, 0), m.LineChars), Keep: cmp.Or(l.Keep, m.Keep),
	}
}
