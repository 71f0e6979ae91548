package host

import (
	"cmp"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers/google"
)

// The variables by which Google's own SDK finds Vertex AI.
const (
	varUseVertex      = "GOOGLE_GENAI_USE_VERTEXAI"
	varVertexProject  = "GOOGLE_CLOUD_PROJECT"
	varVertexLocation = "GOOGLE_CLOUD_LOCATION"
	varVertexRegion   = "GOOGLE_CLOUD_REGION"
	varVertexURL      = "GOOGLE_VERTEX_BASE_URL"
)

// usesVertex reports whether the models of a service are asked at Vertex AI.
func (env Environment) usesVertex(s service) bool {
	use := strings.ToLower(env.get(varUseVertex))
	return s.api == apiGoogle && (use == "true" || use == "1")
}

// vertex returns the endpoint of Vertex AI, which uses application default credentials. The first
// request looks for them.
func (env Environment) vertex(s service) (endpoint, error) {
	e := endpoint{
		api: s.api, urlVar: varVertexURL,
		vertex: &google.Vertex{
			Project: env.get(varVertexProject), Location: cmp.Or(env.get(varVertexLocation), env.get(varVertexRegion)),
		},
		signIn: "sign in with gcloud auth application-default login, or set GOOGLE_APPLICATION_CREDENTIALS to a credentials file",
	}
	e.BaseURL = env.get(varVertexURL)
	if e.vertex.Project == "" {
		return e, configuration("set it to the project's id", "provider %q: %s selects Vertex AI, but %s is not set", s.name, varUseVertex, varVertexProject)
	}
	return e, e.check(s.name)
}
