package report

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner/view"
)

// Runs is a table of the runs in a folder, a line for each. Chosen says that they are not all of
// them. Lines are cut at the columns of the terminal; 0 is none.
func Runs(runs []*view.Summary, folder string, chosen bool, wide int) string {
	if len(runs) == 0 && chosen {
		return fmt.Sprintf("no matching runs under %s\n", folder)
	}
	if len(runs) == 0 {
		return fmt.Sprintf("no runs under %s; to show a run in another folder: flow show FOLDER\n", folder)
	}
	t := table{{"RUN", "WORKFLOW", "STATE", "BEGAN", "TOOK", "COST", "FAILED FIRST"}}
	for _, g := range runs {
		t.row(runCells(g)...)
	}
	return t.within(wide)
}

func runCells(g *view.Summary) []string {
	const maxReason = 80
	name, workflow := term.Visible(filepath.Base(g.Folder)), term.Shorten(term.Visible(g.Workflow), 40)
	if g.Broken != "" {
		wrong := strings.TrimPrefix(strings.TrimPrefix(g.Broken, "open "), g.Folder+string(filepath.Separator))
		return []string{name, workflow, "unreadable", began(g.Began), "", "", term.Shorten(view.Brief(wrong), maxReason)}
	}
	failed := ""
	if g.Failed != nil {
		failed = term.Shorten(named(g.Failed.Unit, g.Failed.Label)+": "+view.Shortest(g.Failed.Message), maxReason)
	}
	state := strings.ReplaceAll(term.Visible(string(g.State)), "_", " ")
	if g.InPart {
		state += " in part"
	}
	return []string{name, workflow, state, began(g.Began), view.Took(g.Took), g.Cost.String(), failed}
}

func began(at time.Time) string {
	if at.IsZero() {
		return "unknown"
	}
	return at.Local().Format("2006-01-02 15:04")
}
