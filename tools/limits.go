package tools

// Keep is the part of a long output that is kept.
type Keep string

// The parts that can be kept. The zero value is [KeepHead].
const (
	KeepHead Keep = "head"
	KeepTail Keep = "tail"
	KeepBoth Keep = "both"
)

// Limits are the most of an output that a model is shown. What is longer is
// truncated. A number that is not positive stands for its default.
type Limits struct {
	Lines     int  // 2,000
	Bytes     int  // 51,200, with the marks of shortened lines
	LineChars int  // 2,000 characters; a longer line is shortened
	Keep      Keep // what the tool's [Spec] says
}

var defaultLimits = Limits{Lines: 2000, Bytes: 50 << 10, LineChars: 2000, Keep: KeepHead}

// or fills what l leaves open from m.
func (l Limits) or(m Limits) Limits {
	if l.Lines <= 0 {
		l.Lines = m.Lines
	}
	if l.Bytes <= 0 {
		l.Bytes = m.Bytes
	}
	if l.LineChars <= 0 {
		l.LineChars = m.LineChars
	}
	if l.Keep == "" {
		l.Keep = m.Keep
	}
	return l
}
