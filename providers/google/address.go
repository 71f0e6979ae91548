package google

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// defaultBaseURL is Google AI's. That of Vertex AI depends on the location.
const defaultBaseURL = "https://generativelanguage.googleapis.com/"

// The versions of the two services that have all features used here; Google's own SDK uses
// the same.
const (
	versionAI     = "v1beta"
	versionVertex = "v1beta1"
)

// Vertex names a project and a location of Vertex AI.
type Vertex struct {
	Project  string // its id or its number
	Location string // a region, us, eu or global; global when empty

	// Tokens are shared by models with the same credentials; nil: the model has its own.
	Tokens *Tokens
}

var (
	errBadURL     = errors.New("the base URL is invalid")
	errNoProject  = errors.New("Vertex AI needs a project: set GOOGLE_CLOUD_PROJECT")
	namePattern   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9-]+$`) })
	versionsShape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^v[0-9]+[a-z0-9]*$`) })
)

// address returns the URL of requests, without a key.
func address(o Options) (string, error) {
	base, version, name := defaultBaseURL, versionAI, modelPath(o.Model)
	if o.Vertex != nil {
		var err error
		if base, name, err = o.Vertex.locate(o.Model); err != nil {
			return "", err
		}
		version = versionVertex
	}
	if o.BaseURL != "" {
		base = o.BaseURL
	}
	u, err := url.Parse(base)
	if err != nil {
		return "", errBadURL
	}
	parts, err := escaped(name)
	if err != nil {
		return "", err
	}
	if !versionsShape().MatchString(path.Base(u.Path)) {
		parts = append([]string{version}, parts...)
	}
	u = u.JoinPath(parts...)
	query := u.Query()
	query.Set("alt", "sse")
	u.RawQuery = query.Encode()
	return u.String(), nil
}

// modelPath returns the path of a model at Google AI. A name with a slash is a path already:
// tunedModels/…
func modelPath(model string) string {
	if strings.Contains(model, "/") {
		return model
	}
	return "models/" + model
}

// locate returns the base URL of the location, and the path of a model there. A name with a
// slash may be a whole path (projects/…), one in the project (publishers/…, endpoints/…),
// or a publisher and its model.
func (v Vertex) locate(model string) (base, name string, err error) {
	location := v.Location
	switch location {
	case "", "global":
		location, base = "global", "https://aiplatform.googleapis.com/"
	case "us", "eu":
		base = "https://aiplatform." + location + ".rep.googleapis.com/"
	default:
		if !namePattern().MatchString(location) { // it becomes a part of the host that gets a token
			return "", "", fmt.Errorf("location %q is not a region of Google Cloud, such as europe-west4", location)
		}
		base = "https://" + location + "-aiplatform.googleapis.com/"
	}
	if strings.HasPrefix(model, "projects/") {
		return base, model, nil
	}
	if v.Project == "" {
		return "", "", errNoProject
	}
	publisher, rest, slash := strings.Cut(model, "/")
	switch {
	case !slash:
		model = "publishers/google/models/" + model
	case publisher == "models":
		model = "publishers/google/" + model
	case publisher != "publishers" && publisher != "endpoints":
		model = "publishers/" + publisher + "/models/" + rest
	}
	return base, "projects/" + v.Project + "/locations/" + location + "/" + model, nil
}

// escaped returns the elements of the path for streaming from a model.
func escaped(name string) ([]string, error) {
	pieces := strings.Split(name, "/")
	if slices.ContainsFunc(pieces, func(piece string) bool { return strings.Trim(piece, ".") == "" }) {
		return nil, fmt.Errorf("%q is not a model name", name)
	}
	for i := range pieces {
		pieces[i] = url.PathEscape(pieces[i])
	}
	pieces[len(pieces)-1] += ":streamGenerateContent"
	return pieces, nil
}

func isNative(base string) bool {
	u, err := url.Parse(base)
	return err == nil && (base == "" || strings.HasSuffix(strings.ToLower(u.Hostname()), ".googleapis.com"))
}
