package journal

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/runner/plan"
	"github.com/a-seed-11b9befa/flow/runner/record"
	"github.com/a-seed-11b9befa/flow/runner/unit"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// elementRecords are those of an element whose agent needs one turn and one call.
func elementRecords(i int) []*record.Record {
	u := unit.Unit{}.Child("pages").WithElement(i)
	attempt := u.WithAttempt(1)
	text, _ := json.Marshal(map[string]string{"prompt": strings.Repeat("Read the page and say what it is about. ", 20)})
	return []*record.Record{
		{Kind: record.Began, Unit: attempt, Data: text},
		{Kind: record.Said, Unit: attempt, Spent: record.Amount{Tokens: 500, CostUSD: 0.001}, Data: text},
		{Kind: record.Answer, Unit: attempt, Call: "call_1", Data: text},
		{Kind: record.Ended, Unit: u, Status: record.Succeeded, Data: text},
	}
}

const elements = 10_000

// BenchmarkAppend appends what 10,000 elements come to, each record by itself.
func BenchmarkAppend(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		j, dir := begin(b, Options{})
		b.StartTimer()
		for i := range elements {
			for _, r := range elementRecords(i) {
				add(b, j, r)
			}
		}
		shut(b, j)
		info, err := os.Stat(filepath.Join(dir, File))
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(info.Size())
	}
}

// BenchmarkRead reads what 10,000 elements came to.
func BenchmarkRead(b *testing.B) {
	j, dir := begin(b, Options{})
	add(b, j, &record.Record{Kind: record.Decided, Unit: unit.Unit{}.Child("pages"), About: record.Elements, Count: elements})
	for i := range elements {
		add(b, j, elementRecords(i)...)
	}
	shut(b, j)
	b.Run("records", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if all, err := readAll(b, dir); err != nil || len(all) != 4*elements+2 {
				b.Fatal(len(all), err)
			}
		}
	})
	workflow, ds := workflows.Parse("t.yaml", []byte("name: t\nsteps: [{id: pages, foreach: [1], max_parallel: 8, run: x}]\n"), workflows.Options{})
	if ds.HasErrors() {
		b.Fatal(ds)
	}
	b.Run("due", func(b *testing.B) { // what is due in a run that is gone on with
		b.ReportAllocs()
		for b.Loop() {
			p := plan.New(workflow, plan.Options{})
			all, err := readAll(b, dir)
			for _, r := range all {
				if err == nil {
					err = p.Take(r)
				}
			}
			if due := p.Due(); err != nil || len(due) != 1 || due[0].Do != plan.Conclude {
				b.Fatal(due, err)
			}
		}
	})
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			j, err := Open(dir, Options{})
			if err != nil {
				b.Fatal(err)
			}
			shut(b, j)
		}
	})
}
