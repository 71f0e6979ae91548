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
	all := junitSuites{Suites: []junitSuite{}}
	var took time.Duration
	for from := 0; from < len(cases); {
		to := from
		for to < len(cases) && cases[to].Suite == cases[from].Suite {
			took += cases[to].Took
			to++
		}
		suite := suiteOf(cases[from:to])
		all.Tests, all.Failures = all.Tests+suite.Tests, all.Failures+suite.Failures
		all.Suites = append(all.Suites, suite)
		from = to
	}
	all.Time = seconds(took.Milliseconds())
	return writeSuites(w, all)
}

// suiteOf are cases of one suite.
func suiteOf(cases []Case) junitSuite {
	suite := junitSuite{Name: term.Visible(cases[0].Suite), Tests: len(cases)}
	var took time.Duration
	for _, c := range cases {
		took += c.Took
		written := junitCase{Name: term.Visible(c.Name), Class: suite.Name, Time: seconds(c.Took.Milliseconds())}
		switch {
		case len(c.Failures) > 0:
			suite.Failures++
			first, _, _ := strings.Cut(c.Failures[0], "\n")
			written.Failure = &junitProblem{Type: "expectation", Message: term.Shorten(term.Visible(first), mostMessage), Text: visible(strings.Join(c.Failures, "\n"))}
		case c.Skipped:
			suite.Skipped++
			written.Skipped = &junitProblem{Message: "it did not run"}
		}
		suite.Cases = append(suite.Cases, written)
	}
	suite.Time = seconds(took.Milliseconds())
	return suite
}

// visible is a text of several lines as a report shows it.
func visible(text string) string { return term.VisibleLines(strings.ToValidUTF8(text, "�")) }
