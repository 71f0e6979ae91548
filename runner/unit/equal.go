package unit

// Equal is ==, for those who compare values by their methods, such as go-cmp.
func (u Unit) Equal(other Unit) bool { return u == other }
