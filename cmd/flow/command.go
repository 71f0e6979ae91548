package main

import (
	"context"
	_ "embed"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/tools/txtar"

	"github.com/a-seed-11b9befa/flow/internal/flags"
	"github.com/a-seed-11b9befa/flow/internal/session"
)

// rootCommand is flow with all of its commands. It prints no errors: conclude does.
func (p *program) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "flow",
		Short: "Run declarative workflows of agents and commands",
		Args:  cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return c.Help()
			}
			return flags.Unknown(c, args)
		},
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.Version = version()
	root.SetVersionTemplate(versionLine())
	root.SetFlagErrorFunc(flags.Error)
	root.PersistentFlags().BoolVar(&p.noColor, "no-color", false, "print without colours")
	root.AddCommand(
		p.initCommand(), p.planCommand(), p.runCommand(), p.resumeCommand(), p.testCommand(), p.mcpCommand(), p.validateCommand(), p.explainCommand(), p.schemaCommand(), p.showCommand(), p.reportCommand(), p.viewCommand(), p.runsCommand(), p.diffCommand(),
		p.lockCommand(), p.fetchCommand(), p.pushCommand(), p.toolsCommand(), p.functionsCommand(), p.modelsCommand(), p.cacheCommand(), p.doctorCommand(), p.versionCommand(),
	)
	flags.Arguments(root)
	help := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		for _, about := range txtar.Parse(helpTexts).Files {
			if c.CommandPath() == about.Name {
				c.Long = string(about.Data)
			}
		}
		help(c, args)
	})
	return root
}

// helpTexts has the descriptions of commands.
//
//go:embed help.txtar
var helpTexts []byte

func (p *program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		RunE:  func(*cobra.Command, []string) error { return p.Text(versionLine()) },
	}
}

func versionLine() string {
	return fmt.Sprintf("flow %s %s %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// version is the version of the module, made of the commit if that has no tag.
var version = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
})

// signalled is the RunE of a command that works until it ends or a signal comes.
func signalled(work func(ctx context.Context, args []string) error) func(*cobra.Command, []string) error {
	return func(_ *cobra.Command, args []string) error {
		return underSignals(func(ctx context.Context) error { return work(ctx, args) })
	}
}

// addModel adds --model.
func addModel(set *pflag.FlagSet, into *string) {
	set.Var(flags.Text(into), "model", "the model for all steps, as `provider/model`")
}

// addOffline adds --offline.
func (p *program) addOffline(set *pflag.FlagSet) {
	set.BoolVar(&p.offline, "offline", false, "download no recipes")
}

// addOutput adds --output, which is text or JSON, or one of more.
func (p *program) addOutput(set *pflag.FlagSet, usage string, more ...string) {
	set.Var(flags.OneOf(&p.format, formatText, append([]string{formatText, formatJSON}, more...)...), "output", usage)
}

// What --output can be.
const (
	formatText     = session.FormatText
	formatJSON     = session.FormatJSON
	formatJSONL    = "jsonl"
	formatMarkdown = "markdown"
	formatPage     = "page"
	formatMermaid  = "mermaid"
	formatSVG      = "svg"
)
