//go:build !linux && !darwin

package term

import "os"

// DiscardTyped does nothing where it is not known how to.
func DiscardTyped(*os.File) {}
