package runner

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/google/go-cmp/cmp"
)

// Where one record can't be written, those behind it could be, as on a disk that was
// full for a moment, but are not: nothing has begun that the journal does not have, and
// the run is gone on with from there, to the same result.
func TestARunGoesOnAfterARecordThatCouldNotBeWritten(t *testing.T) {
	whole := newJourney(t, "")
	whole.run(everything)
	run := filepath.Join(whole.dir, "run")
	want, total := whole.resultIn(run), strings.Count(whole.read(run), "\n")
	step := 5
	if testing.Short() {
		step = 41
	}
	for n := 2; n <= total; n += step {
		full := newJourney(t, "")
		run, setUp, at := filepath.Join(full.dir, "run"), full.change, atomic.Int64{}
		full.change = func(o *Options) {
			setUp(o)
			o.passFact = func(*journal.Record) error {
				if at.Add(1) == int64(n) {
					return &os.PathError{Op: "write", Path: "journal.jsonl", Err: syscall.ENOSPC}
				}
				return nil
			}
		}
		r, err := full.try(everything)
		if err != nil {
			t.Fatalf("without record %d: %v", n, err)
		}
		if r.Status == steps.Succeeded || n < total && (r.Error.Kind != steps.KindInternal || !strings.Contains(r.Error.Message, "no space left")) {
			t.Errorf("without record %d: the run is %s: %v", n, r.Status, r.Error)
		}
		if written := strings.Count(full.read(run), "\n"); written != n-1 {
			t.Errorf("without record %d: %d are written", n, written)
		}
		full.hasBegunNoMoreThanIsWritten(run)

		_, _, open := journalOf(t, run)
		j := newJourney(t, run)
		if strings.Contains(j.read(run), `"kind":"again","unit":"retried`) {
			j.write("retried.count", "x\n")
		}
		if _, err := j.try(everything); err != nil {
			t.Fatalf("gone on without record %d: %v", n, err)
		}
		got := j.resultIn(run)
		if len(open) > 0 {
			got = strings.ReplaceAll(got, "Failed: it was cut off while it ran; whether it took effect is not known. Look before you repeat it.", "noted")
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("gone on without record %d of %d:\n%s", n, total, diff)
		}
		if t.Failed() {
			return
		}
	}
}

// hasBegunNoMoreThanIsWritten checks that no call and no command has run of which the
// journal does not say that it is about to.
func (j *journey) hasBegunNoMoreThanIsWritten(run string) {
	j.t.Helper()
	_, answered, open := journalOf(j.t, run)
	if made := sum(j.noted); made > sum(answered)+len(open) {
		j.t.Errorf("%d calls were made, the journal has %d", made, sum(answered)+len(open))
	}
	began := strings.Count(j.read(run), `"kind":"began","unit":"list~`)
	made, err := os.ReadFile(filepath.Join(j.dir, "list.count"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		j.t.Fatal(err)
	}
	if strings.Count(string(made), "x") > began {
		j.t.Errorf("list ran %d times, the journal has %d", strings.Count(string(made), "x"), began)
	}
}
