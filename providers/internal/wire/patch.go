package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// patchBody changes the JSON object in a request's body as a merge patch says
// (RFC 7386). What the patch does not name is kept as it is, but for blanks and
// the order of the fields.
func patchBody(req *http.Request, patch json.RawMessage) error {
	if len(patch) == 0 || req.Body == nil {
		return nil
	}
	body, err := io.ReadAll(req.Body)
	req.Body.Close()
	if err != nil {
		return err
	}
	if body = mergePatch(body, patch); body == nil {
		return fmt.Errorf("the fields to add to a request are no JSON")
	}
	req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	return nil
}

// mergePatch returns target as patch changes it; nil where either is no JSON.
func mergePatch(target, patch json.RawMessage) json.RawMessage {
	var changes map[string]json.RawMessage
	if err := json.Unmarshal(patch, &changes); err != nil || changes == nil {
		if !json.Valid(patch) {
			return nil
		}
		return patch // no object: it replaces whatever there was
	}
	fields := map[string]json.RawMessage{}
	if json.Unmarshal(target, &fields) != nil || fields == nil {
		fields = map[string]json.RawMessage{}
	}
	for name, change := range changes {
		if string(bytes.TrimSpace(change)) == "null" {
			delete(fields, name)
			continue
		}
		fields[name] = mergePatch(fields[name], change)
	}
	return JSON(fields)
}
