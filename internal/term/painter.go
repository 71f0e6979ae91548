package term

// A Painter colours text. The zero Painter leaves it as it is.
type Painter struct{ On bool }

// wrap puts an SGR sequence around text, and the default after it.
func (c Painter) wrap(code, text string) string {
	if !c.On || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (c Painter) Bold(text string) string   { return c.wrap("1", text) }
func (c Painter) Dim(text string) string    { return c.wrap("2", text) }
func (c Painter) Red(text string) string    { return c.wrap("31", text) }
func (c Painter) Green(text string) string  { return c.wrap("32", text) }
func (c Painter) Yellow(text string) string { return c.wrap("33", text) }
