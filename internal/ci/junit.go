package ci

import (
	"encoding/xml"
	"io"
	"strconv"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/steps"
)

// The elements of JUnit's format, as Jenkins and GitLab read it.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Time     string       `xml:"time,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Time     string      `xml:"time,attr"`
		Started  string      `xml:"timestamp,attr,omitempty"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		Time    string        `xml:"time,attr"`
		Failure *junitProblem `xml:"failure,omitempty"`
		Skipped *junitProblem `xml:"skipped,omitempty"`
	}
	junitProblem struct {
		Type    string `xml:"type,attr,omitempty"`
		Message string `xml:"message,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
)

// maxSaid is how many characters of the last output a failed case shows.
const maxSaid = 4000

// WriteJUnit writes the run as a JUnit report: a case for each step, or each element of one. A
// unit that failed or was stopped at a limit has failed, with its reason and the end of its
// output; one that was skipped or cancelled is skipped, and so is a step that begins after an answer.
func (r *Report) WriteJUnit(w io.Writer) error {
	suite := junitSuite{
		Name: r.line(r.Result.Workflow.Name), Time: seconds(r.Result.Duration),
		Started: r.Result.Started.UTC().Format("2006-01-02T15:04:05"), Cases: []junitCase{},
	}
	for u, err := range r.units() {
		if err != nil {
			return err
		}
		c := junitCase{Name: r.line(u.name), Time: "0"}
		if d := u.result.Duration; d != nil {
			c.Time = seconds(*d)
		}
		switch {
		case u.bad():
			c.Failure = &junitProblem{Type: u.kind(), Message: r.line(term.Shorten(u.why(), maxMessage)), Text: r.said(u)}
		case u.result.Status != steps.Succeeded:
			c.Skipped = &junitProblem{Message: r.line(term.Shorten(u.why(), maxMessage))}
		}
		suite.add(c)
	}
	for _, path := range r.Result.NotBegun {
		suite.add(junitCase{Name: r.line(path), Time: "0", Skipped: &junitProblem{Message: "not begun"}})
	}
	return writeSuites(w, suite.Time, []junitSuite{suite})
}

// add adds a case, and counts it.
func (s *junitSuite) add(c junitCase) {
	s.Tests++
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Skipped != nil:
		s.Skipped++
	}
	c.Class = s.Name
	s.Cases = append(s.Cases, c)
}

// writeSuites writes the whole of a report.
func writeSuites(w io.Writer, took string, suites []junitSuite) error {
	all := junitSuites{Time: took, Suites: suites}
	for _, s := range suites {
		all.Tests, all.Failures = all.Tests+s.Tests, all.Failures+s.Failures
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if err := encoder.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// said is the reason of a failure and the end of the unit's output.
func (r *Report) said(u unit) string {
	var b strings.Builder
	b.WriteString(u.why())
	if e := u.result.Error; e != nil && e.Hint != "" {
		b.WriteString("\nhint: " + e.Hint)
	}
	for _, last := range []string{u.result.Text, u.result.Stderr} {
		if last = strings.TrimSpace(last); last != "" {
			b.WriteString("\n\n" + end(last, maxSaid))
		}
	}
	return r.text(b.String())
}

// end is the last characters of a text.
func end(text string, most int) string {
	text = strings.ToValidUTF8(text[max(0, len(text)-4*most):], "�")
	runes := []rune(text)
	return string(runes[max(0, len(runes)-most):])
}

func seconds(milliseconds int64) string {
	return strconv.FormatFloat(float64(milliseconds)/1000, 'f', 3, 64)
}
