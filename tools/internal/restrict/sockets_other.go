//go:build linux && !amd64 && !arm64

package restrict

import (
	"fmt"
	"runtime"
)

// Sockets returns an error: there is no filter for this processor.
func Sockets(...uint32) error { return fmt.Errorf("it can't be closed on %s", runtime.GOARCH) }
