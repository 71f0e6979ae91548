package runner

// A frontier has the numbers of the last records of units on which another one depends, whose records have to
// be later: see [exec.done].
type frontier struct {
	decided int64 // a result, a decision or a list
	worked  int64 // a result of something that worked: what came before the files changed is compared with that alone
}

func (f frontier) with(other frontier) frontier {
	return frontier{max(f.decided, other.decided), max(f.worked, other.worked)}
}
