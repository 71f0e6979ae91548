package permission

type bashSet struct{ rules ruleset }

func newBashSet(set ruleset) (*bashSet, error) { return &bashSet{set}, nil }

func (d *domain) shell(standIn *Rule) *bashSet { return d.bash }

func (s *bashSet) onlyDenies() bool { return s == nil }

// decideBash denies: shell commands are not judged in this slice.
func (p *Policy) decideBash(call Call, dir string) Decision {
	return never("shell commands are not judged yet").decision()
}

// ReadOnly reports whether a shell command, started in dir, only reads. It says
// no where it is not sure.
func (p *Policy) ReadOnly(command, dir string) bool { return false }
