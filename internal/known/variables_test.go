package known

import "testing"

func TestDecidesWhatRuns(t *testing.T) {
	for name, want := range map[string]bool{
		"PATH": true, "path": true, "LD_PRELOAD": true, "GIT_SSH_COMMAND": true, "BASH_ENV": true, "NODE_OPTIONS": true, "PYTHONPATH": true, "https_proxy": true,
		"TITLE": false, "GITHUB_TOKEN": false, "NODE_ENV": false, "GIT_AUTHOR_NAME": false, "MY_PATH": false, "": false,
	} {
		if got := DecidesWhatRuns(name); got != want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
