package runner

import (
	"testing"

	"go.uber.org/goleak"
)

// No run leaves a goroutine behind, however it ended.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
