//go:build linux && !amd64 && !arm64

// Package offline keeps commands from the network by what sockets they may have.
package offline

import (
	"fmt"
	"runtime"
)

// Only can't be had here.
func Only(...uint32) error { return fmt.Errorf("it can't be closed on %s", runtime.GOARCH) }
