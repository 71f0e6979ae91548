package workflows

import "github.com/a-seed-11b9befa/flow/internal/nearest"

// What users write where there is no such key: words of other tools, and keys that belong
// elsewhere. Each completes the sentence "here it is …".

// onCall replaces the events that start a workflow in other tools.
const onCall = "up to the caller: a CI job, say, or cron starts flow"

const (
	theProvider = `the first part of "model", as in openai/gpt-5-mini`
	theKind     = `told by one of "prompt", "run", "tool", "ask", "uses" and "steps"`
)

const bothTokens = `"max_output_tokens" under "params" for one answer, "max_tokens" under "stop" for all turns`

// foreignToFile are keys at the top of a file.
func foreignToFile() map[string]string {
	return nearest.Meanings(
		`"steps"`, "step jobs tasks stages services nodes pipeline actions commands",
		`"needs" of a step; a step waits for the one above it unless it has needs`, "edges depends_on",
		`"agents", or a step with "prompt"`, "agent crew",
		`"inputs"`, "parameters args arguments",
		`"env"`, "environment variables vars", `"mcp"`, "mcp_servers", `"tools"`, "allowed_tools", `"system"`, "system_prompt", `"workspace"`, "working_directory cwd dir",
		"each of them at the top of the file", "defaults",
		`"stop" or "budget"`, "limits", `"time" under "budget", or "timeout" of a step`, "timeout timeout_minutes",
		onCall, "on triggers schedule", "where flow is started", "runs_on image container",
		`"run" of a step`, "shell command script before_script after_script", `"foreach" of a step`, "matrix strategy", `"on_error" of a step`, "continue_on_error",
		`"max_turns" under "stop"`, "max_iterations", `"output" of a step, or "inputs"`, "schema",
		`"providers" for endpoints of your own; a model is named with its provider, as in openai/gpt-5-mini`, "provider",
		`"max_parallel" of a "foreach"; steps with needs: [] start at once`, "parallel concurrency max_concurrency", `"prompt" of a step`, "prompts", "a file of its own, NAME.test.yaml, for flow test", "tests", "the first of the steps", "entry_point entrypoint start", bothTokens, "max_tokens", bodyOfProvider, otherParams,
	)
}

// otherParams are parameters of sampling that services have beside those of "params".
const otherParams = "top_k frequency_penalty presence_penalty repetition_penalty logit_bias min_p"

const bodyOfProvider = "part of providers: {NAME: {body: {…}}}, where the service has it"

// foreignToStep are keys in a step.
func foreignToStep() map[string]string {
	return nearest.Meanings(
		`"run"`, "command cmd cmds script bash sh exec", `"run", which bash reads`, "shell", `"run", as in run: echo …`, "log echo print message",
		`"prompt"`, "description task ask_model llm", `"prompt", and "system"`, "messages", theKind, "type kind action", theProvider, "provider",
		`"if"`, "condition rules only", `"if", with not`, "unless except", `"until", with not`, "while", `another step, with "if"`, "else elif then switch case cases",
		`"needs"`, "depends depends_on dependencies deps after requires", `"needs" of the step that comes later`, "next goto edges",
		`"foreach"`, "for_each for loop with_items with_list items matrix strategy", `"max_parallel" of a "foreach"; "steps" each of which has needs: [] start at once`, "parallel",
		`"on_error"`, "on_failure", `"on_error: continue"`, "continue_on_error ignore_errors ignore_error allow_failure",
		`"timeout", such as 5m`, "timeout_minutes", `"max_attempts" under "retry"`, "retries restart",
		`"id", or "label" beside "foreach"`, "name title step", `"inputs" of the whole file, or "env"`, "vars variables",
		`"ask"`, "question approve approval confirm manual human", `"choices"`, "options",
		"the machine that flow runs on", "image runs_on container", `"env"`, "environment", `"workspace"`, "working_directory cwd dir",
		`"uses"`, "workflow include", `"uses", or "tool"`, "call", `"with"`, "args inputs arguments", "an anchor: - &base {…}, and <<: *base in the other step", "extends",
		`part of "permissions"`, "write read edit grep glob webfetch",
		`"system"`, "system_prompt goal backstory", `"agent", the name of one under "agents"; what it is told is "system"`, "role persona",
		`"output"`, "schema output_schema expected_output response_format", `"tools"`, "allowed_tools",
		`"max_turns" under "stop", or "max_rounds" of a group`, "max_iterations max_iter", `"steps" of a group`, "jobs tasks",
		`a key of the whole file; in a step it is "system"`, "instructions", `a key of the whole file; in a step it is "stop"`, "budget", bothTokens, "max_tokens", bodyOfProvider, otherParams,
		`another step, with if: failure()`, "catch rescue except on_error_step on_fail", `another step, with if: always()`, "finally ensure cleanup always", `"steps" of a group`, "block", "part of the text: steps.<id>.text is all that a step prints", "outputs", `the id of the step: what it prints is steps.<id>.text`, "register save_as store_as result output_key",
		"the user who starts flow", "user become run_as become_user", `an expression: file('a.md') reads one, and glob('*.md') lists them`, "files", `"run", as in run: sleep 5`, "sleep wait delay pause",
		"chosen by the caller", "tags", "up to the machine that flow runs on", "volumes ports services privileged", `"env", which names each variable`, "env_file dotenv", `"checks"`, "assert asserts tests expect validate",
		`"foreach", over a list such as ${{ 1..3 }}`, "number count times", `"prompt"`, "user_prompt query input", `"needs" of the step that comes later, and its "if"`, "notify", `"if"`, "sources generates creates status preconditions",
		`--quiet or --verbose where flow is started`, "silent verbose debug",
	)
}

// foreignTools maps the names that other programs and models use for tools.
func foreignTools() map[string]string {
	return map[string]string{
		"shell": "bash", "sh": "bash", "terminal": "bash", "run": "bash", "command": "bash", "execute": "bash", "exec": "bash", "run_command": "bash",
		"read_file": "read", "readfile": "read", "view": "read", "cat": "read", "open": "read", "write_file": "write", "writefile": "write", "create_file": "write",
		"edit_file": "edit", "str_replace": "edit", "replace": "edit", "patch": "edit", "ls": "list", "list_files": "list", "list_directory": "list", "find": "glob",
		"search": "grep", "search_files": "grep", "rg": "grep", "ripgrep": "grep", "web_search": "webfetch", "websearch": "webfetch", "python": "bash", "code_interpreter": "bash", "fetch": "webfetch", "http": "webfetch", "curl": "webfetch", "web_fetch": "webfetch",
	}
}
