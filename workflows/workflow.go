package workflows

import (
	"encoding/json"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/jsonschema"
	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

// A Workflow is a file that has no mistakes: every name in it is known, every
// expression compiles, and every default of the file is already merged into
// its steps. It is read-only and safe for concurrent use.
type Workflow struct {
	Name        string
	Description string
	Version     string

	File   string // as it was given to [Load]
	Dir    string // the folder of File, where the file's own paths start
	SHA256 string // of the source, in hex

	// Sums are those of what the file says beside its steps, by the keys at its top,
	// layout aside; but for the budget and others that change nothing of what steps do.
	Sums map[string]string

	Digests []Digest // of what may reach a command or a tool, or decides what runs

	Model     *Value              // what steps ask that name none, which have it already; nil: none is named
	Models    map[string][]string // short names: what each stands for
	Providers map[string]Endpoint // endpoints of the workflow's own, by name

	Inputs  []Input   // in the file's order
	Env     Variables // for all steps; Secrets are among its names
	Secrets []string  // the names of Env whose values are masked

	Prices      map[string]Price // by model reference, in USD for a million tokens
	Workspace   *Template        // nil: where the program was started
	CustomTools map[string]*CustomTool
	MCP         map[string]*Server
	Permissions Permissions  // of the file; those of a step stand in the step
	Examples    []Example    // of Permissions, in the file's order
	Agents      []AgentRules // by name
	Sandbox     Sandbox
	Budget      Budget

	Reads []string // the sources of expressions that may read files, sorted, each once

	Steps    []*Step  // in the file's order
	Outputs  []Output // in the file's order
	Findings *Value   // a list of what the run has found in files; nil: not named
}

// An Endpoint is a service of the user's own that speaks a known wire format.
type Endpoint struct {
	API               string // openai-responses, openai-chat, anthropic, google, azure or ollama
	BaseURL           string
	APIKeyEnv         string // the variable that holds the key; none when empty
	Headers           map[string]string
	Body              json.RawMessage // an object: fields for every request, null for one to leave out; nil without
	StructuredOutput  *bool           // whether its models obey a schema, with tools too; nil: not said
	ReasoningContent  *bool           // of openai-chat: whether reasoning goes back as reasoning_content; nil: not said
	Context           int             // the window of its models in tokens; 0: what is known of each
	MaxConcurrent     int             // 0: no limit of its own
	RequestsPerMinute int             // 0: no limit of its own
	TokensPerMinute   int             // in and out; 0: no limit of its own
}

// Price is what a model costs, in USD for a million tokens.
type Price struct {
	Input, Output           float64
	CachedInput, CacheWrite *float64 // nil: as Input
}

// An Input is a value that the caller of a workflow gives.
type Input struct {
	Name        string
	Description string
	Schema      json.RawMessage // JSON Schema of the value
	Default     any             // nil with Required
	Required    bool

	keywords any // Schema as data
	typeName string
	compiled *jsonschema.Schema
}

// An Output is a value that a workflow returns.
type Output struct {
	Name  string
	Value *Value
}

// A Budget bounds the whole run. Zero fields are no bound.
type Budget struct {
	CostUSD float64
	Tokens  int64
	Time    time.Duration
}

// A CustomTool is a command that a model may call as a tool.
type CustomTool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // JSON Schema of the arguments; no arguments where the file names none
	Args        []*Template     // an argument list, run without a shell; or
	Script      *Script         // a script for the shell
	Held        bool            // to the workspace
	Sum         string          // of what the file says of it, layout aside
	Pos         Position
}

// A Server is a tool server that speaks the Model Context Protocol, reached by
// a command's standard streams or by a URL.
type Server struct {
	Name           string
	Command        []*Template
	Env            map[string]*Template
	URL            *Template
	Headers        map[string]*Template
	Required       bool
	StartupTimeout time.Duration // 30 s where the file names none
	Timeout        time.Duration // of one call; 60 s where the file names none
	Pos            Position
}

// Permissions are the rules of one file or one step, by tool name (or a
// pattern of tool names). A tool with one decision for everything has the
// single pattern "*".
type Permissions map[string][]Rule

// AgentRules are the permissions of settings that steps take by a name.
type AgentRules struct {
	Name        string
	Permissions Permissions
	Examples    []Example // in the file's order
}

// A Rule decides what one pattern fits: "allow", "ask" or "deny".
type Rule struct {
	Pattern  string
	Decision string
	Pos      Position

	tool, node *tree.Node // the tool's key, and the pattern
}

// An Example is a call that shows what rules do. This package does not judge it.
type Example struct {
	Tool string
	Call string // its main argument, or all of them as a JSON object
	Want string // the decision: "allow", "ask" or "deny"; "" is any but "allow"
	Pos  Position
}

// A ToolEntry offers a tool to a model.
type ToolEntry struct {
	Name     string            // may be a pattern of MCP tools, such as github_*
	With     map[string]*Value // pinned arguments: the model neither sees nor sets them
	MaxCalls int               // 0: no limit of its own
	Parallel string            // "auto" (also where the file names none), "never" or "always"
	Truncate *Truncate         // nil: the step's
	Pos      Position

	node *tree.Node
}

// Truncate says what is kept of a long output.
type Truncate struct {
	Lines     int    // 2,000 where the file names none
	Bytes     int    // 51,200 where the file names none
	LineChars int    // 2,000 where the file names none
	Keep      string // "head", "tail", "both", or "" for what suits the tool
}

// Says reports whether the file says anything of it: whether it is not all defaults.
func (t Truncate) Says() bool { return t != builtInDefaults().agent.Truncate }

// Params are the sampling parameters of a model. Nil fields are left to the
// service.
type Params struct {
	Temperature     *float64
	TopP            *float64
	MaxOutputTokens int // 0: the service's own
	Seed            *int64
	ReasoningEffort string // "", low, medium or high
	ReasoningBudget int    // in tokens; 0: none named
}

// Retry is how often a whole step is tried. MaxAttempts counts the first one.
type Retry struct {
	MaxAttempts int           // 1 where the file names none
	Backoff     time.Duration // 1 s where the file names none
	MaxBackoff  time.Duration // 60 s where the file names none
}
