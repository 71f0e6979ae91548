package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// patchBody applies a merge patch (RFC 7386) to the JSON object in a request's body. Other
// fields stay as they are, except for white space and their order.
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

// mergePatch applies a merge patch; nil if the patch is invalid JSON.
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
