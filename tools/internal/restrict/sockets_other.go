//go:build linux && !amd64 && !arm64

package restrict

import (
	"fmt"
	"runtime"
)

// Sockets can't be had here.
func Sockets(...uint32) error { return fmt.Errorf("it can't be closed on %s", runtime.GOARCH) }
