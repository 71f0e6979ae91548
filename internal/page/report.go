package page

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/steps"
)

// maxReport is how long a report is, unless it has everything, in bytes. What exceeds it are conversations
// of units, which are left out; a run with very many units is longer without any.
const maxReport = 10_000_000

// Write writes the report of a run: a page that needs no network. Full has all conversations, however long that is.
func Write(to io.Writer, data *Data, units *view.Units, full bool) error {
	top, err := json.Marshal(struct {
		*Data
		Written time.Time `json:"written_at"`
	}{data, time.Now().UTC().Truncate(time.Second)})
	if err != nil {
		return err
	}
	const reserve = 8 << 10 // for the rest of the markup
	left := maxReport - len(script()) - len(style()) - len(top) - reserve
	if full {
		left = math.MaxInt
	}
	talks, err := conversations(units, left)
	if err != nil {
		return err
	}
	top = fmt.Appendf(top[:len(top)-1], `,"conversations":{"kept":%d,"of":%d}}`, len(talks), len(units.Rows))
	out := bufio.NewWriter(to)
	out.WriteString(shell(data.Run.Workflow+" – "+data.Run.ID,
		`<meta http-equiv="Content-Security-Policy" content="`+policy(digest(script()), digest(style()), "'none'")+"\">\n<style>"+style()+"</style>", graph(data.Steps)))
	inline(out, "data", top)
	out.WriteString("<script>" + script() + "</script>\n")
	for _, talk := range talks { // behind the script, so that nobody waits for them
		inline(out, "unit", talk)
	}
	out.WriteString("</body>\n</html>\n")
	return out.Flush()
}

// inline writes JSON that has no < into the page, so that nothing in it ends the element.
func inline(out *bufio.Writer, class string, data []byte) {
	out.WriteString(`<script type="application/json" class="` + class + `">`)
	out.Write(data)
	out.WriteString("</script>\n")
}

// conversations returns units as JSON, as many as fit: those that matter first.
func conversations(units *view.Units, left int) (talks [][]byte, err error) {
	const markup, maxMissed = 64, 50 // units that are too long, until no more are tried
	missed := 0
	for _, row := range ranked(units.Rows) {
		talk, err := conversation(units, row.Unit)
		switch {
		case err != nil:
			return nil, err
		case len(talk)+markup <= left:
			left -= len(talk) + markup
			talks = append(talks, talk)
		case missed == maxMissed:
			return talks, nil
		default:
			missed++
		}
	}
	return talks, nil
}

// lastOf leaves of the other attempts of a unit the last ones, and returns them.
func lastOf(u *view.UnitPast) []journal.Address {
	u.Others = u.Others[max(0, len(u.Others)-maxAttempts):]
	return u.Others
}

// maxTalk is how long the conversation of a unit is: if it is longer, each text of it is cut further.
const maxTalk = 1 << 20

// maxAttempts is how many attempts of a unit are in its conversation, before the last one.
const maxAttempts = 100

// conversation returns the attempts of a unit.
func conversation(units *view.Units, address journal.Address) (talk []byte, err error) {
	last, err := units.Unit(address)
	if err != nil {
		return nil, err
	}
	all := []*Unit{{last, maxField}}
	for _, other := range lastOf(last) {
		if past, err := units.Unit(other); err == nil {
			lastOf(past)
			all = append(all, &Unit{past, maxField})
		}
	}
	for field := maxField; ; field /= 8 {
		for _, attempt := range all {
			attempt.field = field
		}
		if talk, err = json.Marshal(all); err != nil || len(talk) <= maxTalk || field < 1<<10 {
			return talk, err
		}
	}
}

// ranked returns the units in the order in which their conversations matter: what did not succeed, or was
// denied something, steps, what took or cost most, and then a sample of all the others.
func ranked(rows []*view.Row) []*view.Row {
	const outliers, stride = 50, 7919 // a prime, so that a sample is spread over all
	class, rest := map[*view.Row]int{}, 0
	costly := slices.SortedStableFunc(slices.Values(rows), func(a, b *view.Row) int {
		return cmp.Or(cmp.Compare(b.CostUSD, a.CostUSD), cmp.Compare(b.Took, a.Took))
	})
	for i, row := range costly {
		_, element := row.Unit.Element()
		switch {
		case !slices.Contains([]string{string(steps.Succeeded), string(steps.Skipped), string(view.NotBegun)}, row.Status):
			class[row] = 0
		case row.Denied > 0 && row.Elements == nil:
			class[row] = 1
		case !element && row.Unit.Parent().IsZero():
			class[row] = 2
		case i < outliers:
			class[row] = 3
		default:
			class[row] = 4 + rest*stride%len(rows)
			rest++
		}
	}
	return slices.SortedStableFunc(slices.Values(rows), func(a, b *view.Row) int { return cmp.Compare(class[a], class[b]) })
}
