package authority

import "slices"

// Programs returns those of the named MCP servers that are programs of this machine.
func (a Authority) Programs(names []string) (programs []string) {
	for _, c := range a.Commands {
		if c.Kind == "mcp" && slices.Contains(names, c.Name()) && !slices.Contains(programs, c.Name()) {
			programs = append(programs, c.Name())
		}
	}
	return programs
}
