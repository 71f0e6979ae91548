package tools

import (
	"slices"
	"strings"
)

// ownWords are those that results, events and records are written with, whatever the run is
// about. Workflows say themselves which values are secret: one that is part of these words
// would hide from who reads them how the run went. Shorter words are never hidden.
const ownWords = "" +
	"succeeded skipped stopped cancelled waiting unknown accept_limit allowed answered arguments_text assistant attempts " +
	"authentication block_delta block_finished block_started block_type blocks budget_usd cache_write_tokens cache_write_1h_tokens cached_input_tokens " +
	"cached_turns call_finished call_id call_pending call_running changed check_failed checks choices command comment commit completed " +
	"condition configuration content_filter context_length continued decided default denied_calls description duration_ms efforts " +
	"elements environment error_kind exit_code fail_on_denied final_result findings finished_at fixed_context folder foreach " +
	"forgiven inputs inside internal invalid_input invalid_output invalid_workflow left_out limits line_chars lost_outputs " +
	"max_calls max_cost_usd max_fixes max_output_tokens max_parallel max_rounds max_tokens max_tool_calls max_turns message " +
	"models_of network not_begun on_tool options output_limit overloaded parameters params partial pinned problem prompt provider " +
	"question rate_limited raw_text reasoning_budget reasoning_effort reasoning_tokens reasons recipe repeated_calls rested " +
	"results resumed retries run_finished run_id run_started saved_usd schema scripts sha256 source started_at status stderr " +
	"stdout step_attempt step_finished step_started stop_reason structured_alone system temperature thinking time_up timeout_ms timeout_ns " +
	"tool_result truncated_outputs turn_finished turn_started unpriced_models values variables version wait_ms warned warning " +
	"whole_bytes whole_text workspace writes"

// isOwn reports whether a text is one of these words, or a part of one.
func isOwn(text string) bool {
	return slices.ContainsFunc(strings.Fields(ownWords), func(word string) bool { return strings.Contains(word, text) })
}
