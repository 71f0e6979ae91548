package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// A usage is what one run of a program took.
type usage struct {
	wall, cpu time.Duration
	maxRSS    int64 // kilobytes
}

func (u usage) seconds() float64    { return u.wall.Seconds() }
func (u usage) cpuSeconds() float64 { return u.cpu.Seconds() }
func (u usage) peak() float64       { return float64(u.maxRSS) / 1024 }

// middle is the median of one figure.
func middle(all []usage, figure func(usage) float64) float64 {
	if len(all) == 0 {
		return 0
	}
	values := make([]float64, len(all))
	for i, u := range all {
		values[i] = figure(u)
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// A measured is what came out of a case.
type measured struct {
	bout
	flows, floors []usage
	basePeak      float64 // megabytes
}

// head names the columns of the table.
func head() string {
	const side = "  wall ms    cpu ms      MB"
	return fmt.Sprintf("%-36s %-27s   %-27s   %6s\n%-36s %27s   %27s   %6s %6s\n",
		"", "flow", "the floor", "ratios", "", side, side, "wall", "cpu")
}

// row is a line of the table: the medians of flow, those of the floor, their
// ratios, and which targets are missed.
func (m measured) row() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-36s %s   %s", m.name, figures(m.flows), figures(m.floors))
	if ratio := m.ratio(usage.seconds); ratio > 0 {
		fmt.Fprintf(&b, "   %6.2f %6.2f", ratio, m.ratio(usage.cpuSeconds))
	}
	missed := strings.Join(m.missed(), "; ")
	if missed != "" {
		missed = "   ! " + missed
	}
	return strings.TrimRight(b.String()+missed, " ") + "\n"
}

func figures(all []usage) string {
	if len(all) == 0 {
		return fmt.Sprintf("%27s", "")
	}
	return fmt.Sprintf("%9.1f %9.1f %7.1f", 1e3*middle(all, usage.seconds), 1e3*middle(all, usage.cpuSeconds), middle(all, usage.peak))
}

// ratio is how many times the floor's a figure of flow is; 0 without a floor.
func (m measured) ratio(figure func(usage) float64) float64 {
	floor := middle(m.floors, figure)
	if floor == 0 {
		return 0
	}
	return middle(m.flows, figure) / floor
}

// missed names the targets that are not met.
func (m measured) missed() []string {
	var out []string
	check := func(what string, got, most float64) {
		if most > 0 && got > most {
			out = append(out, fmt.Sprintf("%s %.2f, at most %.2f wanted", what, got, most))
		}
	}
	check("wall ratio", m.ratio(usage.seconds), m.wall)
	check("cpu ratio", m.ratio(usage.cpuSeconds), m.cpu)
	check("seconds", middle(m.flows, usage.seconds), m.seconds)
	peak := middle(m.flows, usage.peak)
	if m.base != "" && m.basePeak > 0 {
		check("memory ratio to "+m.base, peak/m.basePeak, m.megabytes)
	} else if m.base == "" {
		check("megabytes", peak, m.megabytes)
	}
	return out
}

// appendTo adds every single run to a file in the format of Go's benchmarks,
// which benchstat compares.
func (m measured) appendTo(file string) error {
	if file == "" {
		return nil
	}
	var b strings.Builder
	for _, side := range []struct {
		name string
		all  []usage
	}{{"flow", m.flows}, {"floor", m.floors}} {
		for _, u := range side.all {
			fmt.Fprintf(&b, "%s 1 %d ns/op %d cpu-ns/op %d peak-bytes\n", m.benchmark(side.name), u.wall.Nanoseconds(), u.cpu.Nanoseconds(), u.maxRSS*1024)
		}
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(b.String())
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// benchmark is the name of one side of the case, as Go's benchmarks have them.
func (m measured) benchmark(side string) string {
	return "Benchmark" + strings.NewReplacer(" ", "_", ",", "").Replace(m.name) + "/" + side
}
