package journal

import (
	"os"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// What was appended is on the disk after a second, whatever comes meanwhile, when it is
// asked for, and at the end; nothing is synced where there is nothing new.
func TestRecordsReachTheDisk(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		var synced atomic.Int64 // the size of the journal when it was synced last
		var times atomic.Int64
		size := func() int64 {
			info, err := os.Stat(dir + "/" + File)
			if err != nil {
				t.Fatal(err)
			}
			return info.Size()
		}
		j, err := Create(dir, Options{Sync: func(f *os.File) error {
			if info, err := f.Stat(); err != nil || info.IsDir() { // the name of the new file
				return f.Sync()
			}
			times.Add(1)
			synced.Store(size())
			return f.Sync()
		}})
		if err != nil {
			t.Fatal(err)
		}
		add := func() {
			t.Helper()
			if err := j.Append(&Record{Kind: Warned}); err != nil {
				t.Fatal(err)
			}
		}
		expect := func(when string, whole bool, syncs int64) {
			t.Helper()
			synctest.Wait()
			if (synced.Load() == size()) != whole || times.Load() != syncs {
				t.Errorf("%s: %d of %d bytes are on the disk, by %d syncs", when, synced.Load(), size(), times.Load())
			}
		}
		add()
		expect("at once", false, 0)
		time.Sleep(500 * time.Millisecond)
		add()
		expect("after half a second", false, 0)
		time.Sleep(501 * time.Millisecond)
		expect("a second after the first", true, 1)
		time.Sleep(time.Hour)
		expect("after an hour with nothing new", true, 1)
		add()
		if err := j.Sync(); err != nil {
			t.Fatal(err)
		}
		expect("asked for", true, 2)
		add()
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		expect("closed", true, 3)
	})
}
