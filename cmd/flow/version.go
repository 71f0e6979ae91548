package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/internal/flags"
)

func (p *program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  flags.Arguments(0, 0),
		RunE: func(*cobra.Command, []string) error {
			_, err := io.WriteString(p.stdout, versionLine())
			return err
		},
	}
}

// versionLine is what flow says of itself.
func versionLine() string {
	return fmt.Sprintf("flow %s %s %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// version returns the version of the module, or of the commit that it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	text := info.Main.Version
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" && text == "(devel)" {
			text += " " + setting.Value
		}
	}
	return text
}
