package main

// A painter colours text. The zero painter leaves it as it is.
type painter struct{ on bool }

// wrap puts an SGR sequence around text, and the default after it.
func (c painter) wrap(code, text string) string {
	if !c.on || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (c painter) bold(text string) string   { return c.wrap("1", text) }
func (c painter) dim(text string) string    { return c.wrap("2", text) }
func (c painter) red(text string) string    { return c.wrap("31", text) }
func (c painter) green(text string) string  { return c.wrap("32", text) }
func (c painter) yellow(text string) string { return c.wrap("33", text) }
