//go:build !linux && !darwin

package term

import "os"

// DiscardTyped does nothing on this system.
func DiscardTyped(*os.File) {}
