package journal

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// elementRecords are those of an element whose agent needs one turn and one call.
func elementRecords(i int) []*Record {
	u := Address{}.Child("pages").WithElement(i)
	attempt := u.WithAttempt(1)
	text, _ := json.Marshal(map[string]string{"prompt": strings.Repeat("Read the page and say what it is about. ", 20)})
	return []*Record{
		{Kind: Began, Unit: attempt, Data: text},
		{Kind: Said, Unit: attempt, Spent: tools.Amount{Tokens: 500, CostUSD: 0.001}, Data: text},
		{Kind: CallEnded, Unit: attempt, Call: "call_1", Data: text},
		{Kind: Ended, Unit: u, Status: steps.Succeeded, Data: text},
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
	add(b, j, &Record{Kind: Decided, Unit: Address{}.Child("pages"), About: Elements, Count: elements})
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
