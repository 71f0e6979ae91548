package journal

import (
	"cmp"
	"encoding/json"

	"github.com/a-seed-11b9befa/flow/runner/record"
)

// standIn returns data of the form that the record's kind has, with a text that says what is
// lost. It takes the place of lost data, so that everything else in the run can be read. It
// returns nil for the description of a run, and for a list that is too long.
func standIn(of record.Record, err error) json.RawMessage {
	says := "lost: " + err.Error()
	var data any
	switch {
	case of.Kind == record.Ended, of.Kind == record.Again, of.Kind == record.End, of.About == record.Keep:
		kind := cmp.Or(of.Reason, "internal")
		data = map[string]any{"unit": of.Unit.WithAttempt(0), "status": of.Status, "error": map[string]any{"kind": kind, "message": says}}
	case of.About == record.Elements && of.Count > record.MostElements:
		return nil
	case of.About == record.Elements:
		items := make([]string, of.Count)
		for i := range items {
			items[i] = says
		}
		data = items
	case of.Kind == record.Began:
		data = map[string]any{"script": map[string]any{"source": says}}
	case of.Kind == record.Said:
		data = map[string]any{"message": map[string]any{"role": "assistant", "blocks": []any{map[string]any{"type": "text", "text": says}}}}
	case of.Kind == record.Called:
		data = map[string]any{"call_id": of.Call, "tool": "?", "arguments": map[string]any{"lost": says}}
	case of.Kind == record.Answer:
		data = map[string]any{"call_id": of.Call, "status": of.Status, "content": says}
	case of.Kind == record.Asked:
		data = map[string]any{"text": says, "call_id": of.Call, "tool": "?", "arguments": map[string]any{"lost": says}}
	case of.Kind == record.Warned:
		data = map[string]any{"message": says}
	case of.Kind == record.Run, of.Kind == record.Resumed:
		return nil
	default:
		data = map[string]any{"lost": says}
	}
	text, err := json.Marshal(data)
	if err != nil {
		return nil
	}
	return text
}
