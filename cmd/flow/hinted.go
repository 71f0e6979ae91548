package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
)

// A hinted model says of a refusal what its user can do about it: only here is
// it known where the key and the address came from.
type hinted struct {
	providers.Model
	name   string // of the model, as its service knows it
	keyVar string // the variable that the key came from; "" without a key
	urlVar string // what says where the service is
}

// Stream asks the model.
func (m hinted) Stream(ctx context.Context, req providers.Request, emit func(providers.Event)) (providers.Message, error) {
	answer, err := m.Model.Stream(ctx, req, emit)
	var refused *providers.Error
	if !errors.As(err, &refused) {
		return answer, err
	}
	hint := m.hint(refused)
	if hint == "" {
		return answer, err
	}
	return answer, &steps.Error{Kind: steps.KindOf(err), Message: err.Error(), Hint: hint, Err: err}
}

// hint is empty where there is nothing to add to what the service says.
func (m hinted) hint(e *providers.Error) string {
	switch {
	case e.Status == http.StatusNotFound:
		return fmt.Sprintf("is %q a model of the service, and %s its base URL?", m.name, m.urlVar)
	case e.Kind != providers.KindAuth:
		return ""
	case m.keyVar == "":
		return "no key was sent: name its variable with api_key_env"
	}
	return "the key came from " + m.keyVar
}
