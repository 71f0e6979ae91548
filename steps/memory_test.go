package steps

import (
	"runtime"
	"testing"
)

// A command whose text nobody gets may print what it likes: hardly any of it is held.
func TestCommandHoldsLittle(t *testing.T) {
	const printed, most = 100_000_000, 32 << 20
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	c := Command{Source: "yes 0123456789 | head -c 100000000", Dir: t.TempDir(), Env: environment(), TruncateText: true}
	c.Source = "set +o pipefail; " + c.Source // head ends before yes does
	r := c.Run(t.Context())
	runtime.ReadMemStats(&after)
	if r.Status != Succeeded || r.Truncated != 1 || len(r.Text) > 60<<10 {
		t.Errorf("%s, %d truncated, %d bytes: %v", r.Status, r.Truncated, len(r.Text), r.Error)
	}
	if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > most {
		t.Errorf("the heap grew by %d MiB for %d MB", grown>>20, printed/1_000_000)
	}
}

// A text that the next step gets is held once it is there, and a few times as much beside it while it grows.
func TestCommandHoldsItsText(t *testing.T) {
	const most = 320 << 20 // with what it grew out of, until that is collected
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	c := Command{Source: "head -c 67108864 /dev/zero | tr '\\0' a", Dir: t.TempDir(), Env: environment()}
	r := c.Run(t.Context())
	runtime.ReadMemStats(&after)
	if r.Status != Succeeded || len(r.Text) != maxWhole || r.Cut == nil {
		t.Errorf("%s, %d bytes: %v", r.Status, len(r.Text), r.Error)
	}
	if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > most {
		t.Errorf("the heap grew by %d MiB for %d", grown>>20, maxWhole>>20)
	}
}
