package permission

// Warning is a rule that does not do what its author may think.
type Warning struct {
	Key, Pattern string
	Message      string
}

// Warnings returns what is doubtful in the rules of a domain's layers.
func Warnings(layers ...Rules) []Warning { return nil }
