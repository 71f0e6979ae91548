package journal

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// Sync returns when everything that was appended before is on the disk. After an error it is
// not known what is on the disk, and nothing more can be appended.
func (j *Journal) Sync() error {
	select {
	case <-j.dirty:
	default:
	}
	j.mu.Lock()
	fresh := j.fresh
	j.fresh = nil
	j.mu.Unlock()
	err := j.syncAll(fresh)
	j.mu.Lock()
	defer j.mu.Unlock()
	if err != nil && j.broken == nil {
		j.broken = fmt.Errorf("%s: some data may not be on the disk: %w", j.name, err)
	}
	return j.broken
}

// syncAll syncs files of long texts, and then the records that name them.
func (j *Journal) syncAll(fresh []string) error {
	for _, name := range fresh {
		if err := syncEntry(j.root, name); err != nil {
			return err
		}
	}
	if len(fresh) > 0 {
		if err := syncEntry(j.root, outputs); err != nil {
			return err
		}
	}
	return j.toDisk(j.file)
}

// syncEntry syncs a file or a folder.
func syncEntry(root *os.Root, name string) error {
	f, err := root.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// keepSynced syncs new records, at most once a second, until the journal is closed.
func (j *Journal) keepSynced() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-j.done:
			return
		case <-j.dirty:
		}
		timer.Reset(syncAfter)
		select {
		case <-j.done:
			return
		case <-timer.C:
		}
		_ = j.Sync() // Append returns the error from now on
	}
}
