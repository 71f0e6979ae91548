package host

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestForeignRepository: a repository that git refuses because it belongs to another user is told of,
// from a subfolder too.
func TestForeignRepository(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: only root can give a repository away")
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("SKIPPED: there is no git")
	}
	top := t.TempDir()
	git := func(words ...string) (string, error) {
		cmd := exec.Command("git", words...)
		cmd.Dir, cmd.Env = top, []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := git("init", "-q"); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	inside := filepath.Join(top, "inside")
	if err := os.Mkdir(inside, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, given := range []string{"", ".git", "."} {
		if given != "" {
			if err := os.Chown(filepath.Join(top, given), 65534, 65534); err != nil {
				t.Fatal(err)
			}
		}
		told := foreignRepository(inside)
		if _, err := git("status"); (err != nil) != (len(told) == 1) {
			t.Errorf("%q is another user's: git says %v, flow %+v", given, err, told)
		}
		if len(told) > 0 && !strings.Contains(told[0].Detail, "git config --global --add safe.directory "+top) {
			t.Errorf("got %q", told[0].Detail)
		}
	}
}
