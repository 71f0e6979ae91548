package wire

import "github.com/a-seed-11b9befa/flow/providers"

// Effort returns the effort of reasoning that params ask for; see
// [providers.Params.Effort].
func Effort(params providers.Params) string { return params.Effort() }
