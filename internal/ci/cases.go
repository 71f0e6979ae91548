package ci

import (
	"io"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/term"
)

// A Case is one of a report of tests.
type Case struct {
	Suite, Name string // the suite is the file that has it
	Took        time.Duration
	Skipped     bool
	Failures    []string // what was not as expected; none: it passed
}

// WriteCases writes a JUnit report of tests, with a suite for each of theirs that
// follow one another.
func WriteCases(w io.Writer, cases []Case) error {
	suites := []junitSuite{}
	var all, took time.Duration
	for i, c := range cases {
		if i == 0 || c.Suite != cases[i-1].Suite {
			suites, took = append(suites, junitSuite{Name: term.Visible(c.Suite)}), 0
		}
		all, took = all+c.Took, took+c.Took
		suite := &suites[len(suites)-1]
		suite.Time = seconds(took.Milliseconds())
		suite.add(c.written())
	}
	return writeSuites(w, seconds(all.Milliseconds()), suites)
}

// written is the case as a report has it.
func (c Case) written() junitCase {
	written := junitCase{Name: term.Visible(c.Name), Time: seconds(c.Took.Milliseconds())}
	switch {
	case len(c.Failures) > 0:
		first, _, _ := strings.Cut(c.Failures[0], "\n")
		written.Failure = &junitProblem{Type: "expectation", Message: term.Shorten(term.Visible(first), mostMessage), Text: visible(strings.Join(c.Failures, "\n"))}
	case c.Skipped:
		written.Skipped = &junitProblem{Message: "it did not run"}
	}
	return written
}

// visible is a text of several lines as a report shows it.
func visible(text string) string { return term.VisibleLines(strings.ToValidUTF8(text, "�")) }
