package tools

import (
	"io"
	"strings"
	"testing"
)

// A disk has room for so many bytes, and one file that can be cut.
type disk struct {
	room int64
	size int64
}

func (d *disk) Write(p []byte) (int, error) {
	n := min(int64(len(p)), d.room-d.size)
	d.size += n
	if n < int64(len(p)) {
		return int(n), errDiskFull
	}
	return int(n), nil
}

func (d *disk) Truncate(size int64) error {
	d.size = size
	return nil
}

func (*disk) Close() error { return nil }

func TestFullDiskGetsRoomBack(t *testing.T) {
	d := &disk{room: 3 << 20}
	o := NewOutput(OutputOptions{Spill: func() (io.WriteCloser, string, error) { return d, "outputs/1-x.txt", nil }})
	line := strings.Repeat("x", 99) + "\n"
	for range 100_000 {
		if _, err := io.WriteString(o, line); err != nil {
			t.Fatalf("the tool was stopped: %v", err)
		}
	}
	text, err := o.Close()
	if err != nil {
		t.Fatal(err)
	}
	if room := d.room - d.size; room < 1<<20 {
		t.Errorf("%d bytes are left on the disk, want 1 MiB", room)
	}
	if want := "only the first 2,097,152 bytes are in outputs/1-x.txt, the rest is lost: no space left on device"; !strings.Contains(text.Content, want) {
		t.Errorf("the model is not told %q:\n%.300s", want, text.Content)
	}
}
