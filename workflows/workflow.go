package workflows

import (
	"encoding/json"
	"time"

	"github.com/expr-lang/expr/types"

	"github.com/a-seed-11b9befa/flow/internal/jsonschema"
	"github.com/a-seed-11b9befa/flow/internal/tree"
)

// A Workflow is a file without mistakes: every name in it is known, every expression is
// compiled, and the file's defaults are merged into its steps. It is read-only and safe for
// concurrent use.
type Workflow struct {
	Name        string
	Description string
	Version     string

	File   string // as it was given to [Load]
	Shown  string // how messages name it: File, or what [Options].NameOf says
	Dir    string // the folder of File, where the file's relative paths start
	SHA256 string // of the source, in hex

	// Sums are checksums, without layout, of the values of the keys at the top of the file
	// that change what its steps do, other than the steps.
	Sums map[string]string

	Model     *Value              // the default model, which is merged into the steps; nil: none
	Models    map[string][]string // what each short name stands for
	Providers map[string]Endpoint // the file's own, by name

	Inputs  []Input   // in the file's order
	Env     Variables // for all steps; Secrets are among its names
	Secrets []string  // the names in Env whose values are masked

	Prices         map[string]Price // by model reference, in USD for a million tokens
	Workspace      *Template        // nil: where the program was started
	CustomTools    map[string]*CustomTool
	ToolNames      []string // of the workflows that its steps offer as tools, sorted
	MCP            map[string]*Server
	Permissions    Permissions  // of the file; each step has its own
	Examples       []Example    // of Permissions, in the file's order
	Agents         []AgentRules // by name
	Sandbox        Sandbox
	Budget         Budget
	StepsLimitCost bool // the budget of a step bounds the cost

	Reads []string // the sources of expressions that may read files, sorted, each once

	Steps    []*Step  // in the file's order
	Outputs  []Output // in the file's order
	Findings *Value   // a list of what the run found in files; nil: none

	FindingsFrom []int // indexes, in Steps, of those whose results Findings uses

	outputTypes types.Map
	lent        []string // the tools of the workflows that it uses
	calls       []string // the longest chain of workflows that its steps call as tools, and these again
}

// An Endpoint is a provider of the file's own: a service with a known wire format.
type Endpoint struct {
	API               string // openai-responses, openai-chat, anthropic, google, azure or ollama
	BaseURL           string
	APIKeyEnv         string // the variable that holds the key; "": no key
	Headers           map[string]string
	Body              json.RawMessage  // an object with fields for every request, null for one to leave out; nil: none
	StructuredOutput  *bool            // whether its models follow a schema, also with tools; nil: what is known of the service
	ReasoningContent  *bool            // of openai-chat: whether reasoning is sent back as reasoning_content; nil: what is known of the service
	Context           int              // the window of its models in tokens; 0: what is known of each
	Models            map[string]Model // by the name of the model
	MaxConcurrent     int              // 0: unlimited
	RequestsPerMinute int              // 0: unlimited
	TokensPerMinute   int              // in and out; 0: unlimited
}

// Price is what a model costs, in USD for a million tokens.
type Price struct {
	Input, Output           float64
	CachedInput, CacheWrite *float64 // nil: as Input
	CacheWrite1h            *float64 // of what is kept for an hour; nil: 1.6 times CacheWrite
	Above                   []Tier   // of long requests, the shortest first
}

// A Tier is the price of a whole request whose input is longer than Tokens.
type Tier struct {
	Tokens int64
	Price
}

// A Model is what a file says of a model of its own provider. What is zero is not known.
type Model struct {
	Context, Output   int64 // tokens
	Price             *Price
	Tools, Structured *bool // whether it calls tools, and follows a schema
	Temperature       *bool // whether it accepts one
	Reasoning         *Reasoning
	Modalities        []string // text, image …
}

// Reasoning is how much a model thinks, and how that is set.
type Reasoning struct {
	None        bool // it does not think
	Efforts     []string
	Budget      bool // in tokens
	Least, Most int  // of the budget; 0: no bound
}

// An Input is a value that the caller of a workflow gives.
type Input struct {
	Name        string
	Description string
	Schema      json.RawMessage // JSON Schema of the value
	Default     any             // nil with Required
	Required    bool

	fallback *tree.Node // of Default
	keywords any        // Schema as data
	typeName string
	compiled *jsonschema.Schema
}

// An Output is a value that a workflow returns.
type Output struct {
	Name  string
	Value *Value
}

// A Budget bounds the whole run, or what is inside a step. A zero field is no bound.
type Budget struct {
	CostUSD float64
	Tokens  int64
	Time    time.Duration
	GoesOn  bool // of a step: once it is used up nothing more begins inside, which counts as success; else that is a failure
}

// A CustomTool is a command that a model may call as a tool.
type CustomTool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // JSON Schema of the arguments; by default there are none
	Args        []*Template     // an argument list, run without a shell; or
	Script      *Script         // a script for the shell
	Held        bool            // to the workspace
	Reads       bool            // no call changes anything: calls run side by side, and are made again after a kill
	Sum         string          // a checksum of its part of the file, without layout
	Pos         Position

	node *tree.Node
}

// A Server is an MCP server: a command with which flow speaks by standard input and
// output, or a URL.
type Server struct {
	Name           string
	Command        []*Template
	Env            map[string]*Template
	URL            *Template
	Headers        map[string]*Template
	Required       bool
	StartupTimeout time.Duration // default 30 s
	Timeout        time.Duration // of one call; default 60 s
	Held           bool          // to the folders that the rules for writing at the top of the file name
	Pos            Position
}

// Permissions are the rules of one file or one step, by the name of a tool or a pattern of
// names. One decision for all calls is a rule with the pattern "*".
type Permissions map[string][]Rule

// AgentRules are an entry of "agents": the permissions of it, and settings that steps take by its name.
type AgentRules struct {
	Name        string
	Permissions Permissions
	Examples    []Example // in the file's order

	agent Agent // with the file's defaults
}

// A Rule gives the decision for calls that match a pattern: "allow", "ask" or "deny".
type Rule struct {
	Pattern  string
	Decision string
	Pos      Position
	Values   *Template // the pattern of a rule for files that has expressions; nil: it has none

	tool, node *tree.Node // the tool's key, and the pattern
}

// An Example is a call with the decision that the rules must give. This package does not
// check that they do.
type Example struct {
	Tool string
	Call string // its main argument, or all of them as a JSON object
	Want string // "allow", "ask" or "deny"; "": any but "allow"
	Pos  Position
}

// A ToolEntry offers a tool to a model.
type ToolEntry struct {
	Name     string            // may be a pattern of MCP tools, such as github_*
	With     map[string]*Value // pinned arguments: the model neither sees nor sets them
	MaxCalls int               // 0: unlimited
	Parallel string            // "auto", the default, "never" or "always"
	Truncate *Truncate         // nil: the step's
	Runs     *Step             // uses a workflow, which a call of the tool runs; nil: the tool is no workflow
	Pos      Position

	node  *tree.Node
	uses  word // the workflow, as the file has it
	grant *Grant
}

// Truncate says what is kept of a long output.
type Truncate struct {
	Lines     int    `json:"lines,omitzero"`      // default 2,000
	Bytes     int    `json:"bytes,omitzero"`      // default 51,200
	LineChars int    `json:"line_chars,omitzero"` // default 2,000
	Keep      string `json:"keep,omitzero"`       // "head", "tail", "both"; "": what suits the tool
}

// Says reports whether a value differs from the built-in defaults.
func (t Truncate) Says() bool { return t != builtInDefaults().Truncate }

// Params are the sampling parameters of a model. Nil fields are left to the
// service.
type Params struct {
	Temperature     *float64 `json:"temperature,omitzero"`
	TopP            *float64 `json:"top_p,omitzero"`
	MaxOutputTokens int      `json:"max_output_tokens,omitzero"` // 0: the service's own
	Seed            *int64   `json:"seed,omitzero"`
	ReasoningEffort string   `json:"reasoning_effort,omitzero"` // none, minimal, low, medium, high, xhigh or max; "": the model's own
	ReasoningBudget int      `json:"reasoning_budget,omitzero"` // in tokens; 0: none
}

// Retry says how often a whole step is tried.
type Retry struct {
	MaxAttempts int           // with the first one; default 1
	Backoff     time.Duration // default 1 s
	MaxBackoff  time.Duration // default 60 s
}
