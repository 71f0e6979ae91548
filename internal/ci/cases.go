package ci

import (
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner/suite"
)

// WriteCases writes a JUnit report of tests, with a suite for each file of theirs.
func WriteCases(w io.Writer, outcomes []*suite.Outcome) error {
	suites := []junitSuite{}
	var all, took time.Duration
	for i, o := range outcomes {
		if i == 0 || o.File != outcomes[i-1].File {
			suites, took = append(suites, junitSuite{Name: term.Visible(filepath.ToSlash(o.File))}), 0
		}
		all, took = all+o.Took, took+o.Took
		suite := &suites[len(suites)-1]
		suite.Time = seconds(took.Milliseconds())
		suite.add(caseOf(o))
	}
	return writeSuites(w, seconds(all.Milliseconds()), suites)
}

// caseOf is a case as a report has it.
func caseOf(o *suite.Outcome) junitCase {
	written := junitCase{Name: term.Visible(o.Name), Time: seconds(o.Took.Milliseconds())}
	var failures []string
	for _, failure := range o.Failures {
		failures = append(failures, failure.Text())
	}
	switch {
	case len(failures) > 0:
		first, _, _ := strings.Cut(failures[0], "\n")
		written.Failure = &junitProblem{Type: "expectation", Message: term.Shorten(term.Visible(first), maxMessage), Text: visible(strings.Join(failures, "\n"))}
	case o.Skipped:
		written.Skipped = &junitProblem{Message: "it did not run"}
	}
	return written
}

// visible is a text of several lines as a report shows it.
func visible(text string) string { return term.VisibleLines(strings.ToValidUTF8(text, "�")) }
