package host

import (
	"cmp"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/google"
	"github.com/a-seed-11b9befa/flow/providers/ollama"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// The wire formats that this build of flow speaks.
const (
	apiResponses = "openai-responses"
	apiChat      = "openai-chat"
	apiAzure     = "azure"
	apiOllama    = "ollama"
	apiAnthropic = "anthropic"
	apiGoogle    = "google"
)

// APIs returns the names of the wire formats in workflows.
func APIs() []string {
	return []string{apiResponses, apiChat, apiAzure, apiOllama, apiAnthropic, apiGoogle}
}

// A service is a provider that flow knows.
type service struct {
	name    string // the first part of a model's reference
	table   string // the vendor under whose name the table has its models, if that is another name
	api     string // its wire format
	baseURL string // the vendor's; "" if the wire format's package knows it
	headers map[string]string
	body    string // JSON with fields for every request

	keyVars    []string // the variables that may hold the key; the first one that is set counts
	secretVars []string // the variables that hold the secrets of its credentials, if it has no key
	keyless    bool     // it works without a key, too
	urlVar     string   // the variable that may hold another base URL
	versionVar string   // the variable that may hold the version of its API
}

// services returns the providers that every workflow can name.
func services() []service {
	return []service{
		{name: "openai", api: apiResponses, keyVars: []string{"OPENAI_API_KEY"}, urlVar: "OPENAI_BASE_URL"},
		{name: "openai-chat", table: "openai", api: apiChat, keyVars: []string{"OPENAI_API_KEY"}, urlVar: "OPENAI_BASE_URL"},
		{
			name: "azure", api: apiAzure, keyVars: []string{"AZURE_OPENAI_API_KEY"}, keyless: true,
			secretVars: []string{"AZURE_CLIENT_SECRET", "AZURE_CLIENT_CERTIFICATE_PASSWORD", "AZURE_PASSWORD"},
			urlVar:     "AZURE_OPENAI_ENDPOINT", versionVar: "AZURE_OPENAI_API_VERSION",
		},
		{name: "anthropic", api: apiAnthropic, keyVars: []string{"ANTHROPIC_API_KEY"}, urlVar: "ANTHROPIC_BASE_URL"},
		{name: "google", api: apiGoogle, keyVars: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}, urlVar: "GOOGLE_GEMINI_BASE_URL"},
		{
			name: "openrouter", api: apiChat, keyVars: []string{"OPENROUTER_API_KEY"},
			baseURL: "https://openrouter.ai/api/v1", urlVar: "OPENROUTER_BASE_URL",
			headers: map[string]string{"HTTP-Referer": "https://github.com/a-seed-11b9befa/flow", "X-Title": "flow"},
			body:    `{"usage": {"include": true}}`, // asks for the cost of each answer
		},
		{name: "ollama", api: apiOllama, keyless: true, urlVar: "OLLAMA_HOST"},
	}
}

// serviceNames returns the names of all services.
func serviceNames() []string {
	var names []string
	for _, s := range services() {
		names = append(names, s.name)
	}
	return names
}

// keyVar returns the variable that holds the key of a service; "" if none does.
func (env Environment) keyVar(s service) string {
	for _, name := range s.keyVars {
		if env.get(name) != "" {
			return name
		}
	}
	return ""
}

// An endpoint says where, and with which credentials and limits, models are asked.
type endpoint struct {
	providers.Endpoint                    // without the name of the model
	api                string             // the wire format
	version            string             // of the API, if it has dated ones
	keyVar, urlVar     string             // the variables that hold the key and the URL
	limits             workflows.Endpoint // how many requests at the same time, and in a minute
	vertex             *google.Vertex     // for Vertex AI, else nil
	guarded            bool               // it may only reach its own address
	signIn             string             // the source of credentials, if a token is sent in place of a key
}

// builtIn returns the endpoint of a provider that every workflow can name.
func (env Environment) builtIn(s service) (endpoint, error) {
	if env.usesVertex(s) {
		return env.vertex(s)
	}
	e := endpoint{api: s.api, version: env.get(s.versionVar), keyVar: env.keyVar(s), urlVar: s.urlVar}
	e.BaseURL, e.Headers, e.Body = cmp.Or(env.get(s.urlVar), s.baseURL), s.headers, []byte(s.body)
	if err := e.checkURL(s.name); err != nil {
		return e, err
	}
	if e.APIKey = env.get(e.keyVar); e.APIKey == "" && !s.keyless && !isLoopback(e.BaseURL) {
		set := "set it"
		if len(s.keyVars) > 1 {
			set = "set one of them"
		}
		return e, configuration(set+" to your key", "provider %q needs a key, and %s", s.name, s.keyNotSet())
	}
	e.signInToEntra()
	return e, e.check(s.name)
}

// keyNotSet says that no variable holds the key.
func (s service) keyNotSet() string {
	if len(s.keyVars) == 1 {
		return s.keyVars[0] + " is not set"
	}
	return "neither " + strings.Join(s.keyVars, " nor ") + " is set"
}

// signInToEntra makes an Azure endpoint without a key use tokens.
func (e *endpoint) signInToEntra() {
	if e.api == apiAzure && e.APIKey == "" {
		e.signIn = "set a key, or sign in to Entra ID: `az login`, a managed identity, or AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET"
	}
}

// own returns the endpoint of a provider that a workflow defines.
func (env Environment) own(name string, given workflows.Endpoint) (endpoint, error) {
	e := endpoint{api: given.API, limits: given, keyVar: given.APIKeyEnv, urlVar: "base_url"}
	e.BaseURL, e.Headers, e.Body = given.BaseURL, given.Headers, given.Body
	if !slices.Contains(APIs(), e.api) {
		return e, configuration("it speaks "+strings.Join(APIs(), ", "), "provider %q: api %q is not in this build of flow", name, e.api)
	}
	if variable := given.APIKeyEnv; variable != "" {
		e.APIKey = env.get(variable)
		if e.APIKey == "" && !isLoopback(e.BaseURL) {
			return e, configuration("set it to your key, or remove api_key_env", "provider %q needs a key, and %s is not set", name, variable)
		}
	}
	e.signInToEntra()
	return e, e.check(name)
}

// check returns an error if a key or a base URL is unusable.
func (e *endpoint) check(name string) error {
	if strings.ContainsFunc(e.APIKey, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return configuration("check for a line break at its end", "provider %q: the key in %s contains a control character and can't be sent", name, e.keyVar)
	}
	if e.BaseURL == "" && e.api == apiAzure {
		return configuration("such as https://<resource>.openai.azure.com", "provider %q: %s is not set, and each Azure resource has its own address", name, e.urlVar)
	}
	return e.checkURL(name)
}

// checkURL returns an error if the base URL is invalid, before a key for it is looked for.
func (e *endpoint) checkURL(name string) error {
	if e.api == apiOllama {
		e.BaseURL = ollama.BaseURL(e.BaseURL)
	}
	if e.BaseURL == "" {
		return nil
	}
	u, err := url.Parse(e.BaseURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return configuration("such as https://api.example.com/v1", "provider %q: %s is not an http or https URL", name, e.urlVar)
	}
	return nil
}

// isLoopback reports whether a URL leads to this machine itself.
func isLoopback(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	if u.Hostname() == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(u.Hostname())
	return err == nil && addr.IsLoopback()
}

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
