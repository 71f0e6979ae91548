package google

import (
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
)

// Ending is why the model stopped, and what it used.
func (s *stream) Ending() (providers.Finish, providers.Usage) { return s.finish(), s.usage.normal() }

// finish is the normalised reason. Whole calls count for more than the word of
// the service, but what was cut or filtered stays so. A word that is not known is
// no success.
func (s *stream) finish() providers.Finish {
	switch s.reason {
	case "":
		return providers.FinishContentFilter // the prompt was blocked
	case "MAX_TOKENS":
		return providers.FinishLength
	case "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR",
		"IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION":
		return providers.FinishContentFilter
	}
	switch {
	case s.answer.Called():
		return providers.FinishToolCalls
	case s.reason == "STOP", s.reason == "FINISH_REASON_UNSPECIFIED":
		return providers.FinishStop
	}
	return providers.FinishError
}

// givenUp tells an answer that the service gave up, which is an accident of one
// answer in most cases: MALFORMED_FUNCTION_CALL, UNEXPECTED_TOOL_CALL, OTHER.
func (s *stream) givenUp() error {
	const longest = 500
	message := "the model ended its answer with " + s.reason
	if words := s.words[:min(len(s.words), longest)]; words != "" {
		message += ": " + strings.ToValidUTF8(words, "")
	}
	err := s.client.Nonsense(message)
	err.Code, err.Retryable = s.reason, s.reason != "LANGUAGE"
	return err
}
