package runner

// A frontier has the numbers of the last records of units on which another one depends, whose records have to
// be later: see [exec.done].
type frontier struct {
	end    int64 // a result, a decision or a list
	result int64 // a result of something that worked: what came before the files changed is compared with that alone
}

func (f frontier) with(other frontier) frontier {
	return frontier{max(f.end, other.end), max(f.result, other.result)}
}
