package workflows

import "maps"

// What users write at a place that does not have it: words of other tools, and
// keys that stand elsewhere. Each goes on "here it is …".

// onCall is what is here in place of events that start a workflow.
const onCall = "up to the caller: a CI job, say, or cron starts flow"

const (
	theProvider = `the first part of "model", as in openai/gpt-5-mini`
	theKind     = `told by one of "prompt", "run", "tool", "ask", "uses" and "steps"`
)

// foreignToFile are keys at the top of a file.
func foreignToFile() map[string]string {
	words := map[string]string{
		"jobs": `"steps"`, "tasks": `"steps"`, "stages": `"steps"`, "agent": `"agents", or a step with "prompt"`,
		"parameters": `"inputs"`, "vars": `"inputs"`, "variables": `"inputs"`, "args": `"inputs"`, "defaults": "each of them at the top of the file",
		"environment": `"env"`, "mcp_servers": `"mcp"`, "mcpServers": `"mcp"`, "limits": `"stop" or "budget"`, "timeout": `"time" under "budget", or "timeout" of a step`,
		"on": onCall, "triggers": onCall, "schedule": onCall, "services": `"steps"`, "runs-on": "where flow is started", "depends_on": `"needs" of a step`,
		"shell": `"run" of a step`, "command": `"run" of a step`, "matrix": `"foreach" of a step`, "continue-on-error": `"on_error" of a step`, "timeout-minutes": `"time" under "budget"`,
		"allowed_tools": `"tools"`, "allowedTools": `"tools"`, "system_prompt": `"system"`,
		"working-directory": `"workspace"`, "working_directory": `"workspace"`, "cwd": `"workspace"`, "output": `"outputs"`, "max_iterations": `"max_turns" under "stop"`, "schema": `"output" of a step, or "inputs"`,
		"step": `"steps"`, "provider": theProvider, "grant": `"grant" of a step with "uses"`, "parallel": `"max_parallel" of a "foreach"; steps with needs: [] start at once`, "max_parallel": `"max_parallel" of a "foreach"`,
	}
	for _, key := range []string{"checks", "prompt", "prompt_file", "run", "uses", "ask", "choices", "foreach", "needs", "if", "on_error", "with", "on_denied", "max_fixes"} {
		words[key] = "a key of a step, under \"steps\""
	}
	maps.Copy(words, keysBelow())
	words["max_tokens"] = `"max_output_tokens" under "params" for one answer, "max_tokens" under "stop" for all turns`
	return words
}

// foreignToStep are keys in a step.
func foreignToStep() map[string]string {
	words := map[string]string{
		"condition": `"if"`, "messages": `"prompt", and "system"`, "type": theKind, "kind": theKind, "provider": theProvider, "on_failure": `"on_error"`, "onError": `"on_error"`, "unless": `"if", with not`,
		"depends": `"needs"`, "depends_on": `"needs"`, "dependsOn": `"needs"`, "dependencies": `"needs"`, "after": `"needs"`,
		"for_each": `"foreach"`, "forEach": `"foreach"`, "for": `"foreach"`, "loop": `"foreach"`, "with_items": `"foreach"`, "items": `"foreach"`,
		"matrix": `"foreach"`, "strategy": `"foreach"`, "parallel": `"max_parallel" of a "foreach"; "steps" each of which has needs: [] start at once`,
		"command": `"run"`, "cmd": `"run"`, "script": `"run"`, "shell": `"run", which bash reads`, "while": `"until", with not`,
		"timeout_minutes": `"timeout", such as 5m`, "timeout-minutes": `"timeout", such as 5m`,
		"continue-on-error": `"on_error: continue"`, "continue_on_error": `"on_error: continue"`, "ignore_errors": `"on_error: continue"`,
		"name": `"id"`, "step": `"id"`, "title": `"id", or "label" beside "foreach"`, "vars": `"inputs" of the whole file, or "env"`, "variables": `"inputs" of the whole file, or "env"`,
		"question": `"ask"`, "approve": `"ask"`, "approval": `"ask"`, "confirm": `"ask"`, "manual": `"ask"`, "human": `"ask"`, "options": `"choices"`,
		"image": "the machine that flow runs on", "runs-on": "the machine that flow runs on", "container": "the machine that flow runs on",
		"environment": `"env"`, "workflow": `"uses"`, "call": `"uses", or "tool"`, "include": `"uses"`, "args": `"with"`, "inputs": `"with"`,
		"system_prompt": `"system"`, "schema": `"output"`, "output_schema": `"output"`, "outputs": `"output"`, "retries": `"max_attempts" under "retry"`,
		"max_iterations": `"max_turns" under "stop", or "max_rounds" of a group`, "allowed_tools": `"tools"`, "allowedTools": `"tools"`,
		"agents": `"steps" of a group`, "role": `"agent"`, "persona": `"agent"`, "jobs": `"steps" of a group`,
		"working-directory": `"workspace"`, "working_directory": `"workspace"`,
		"cwd": `"workspace"`, "instructions": `a key of the whole file; in a step it is "system"`,
		"budget": `a key of the whole file; in a step it is "stop"`,
	}
	for _, key := range []string{"secrets", "providers", "models", "prices", "custom_tools", "mcp"} {
		words[key] = "a key of the whole file"
	}
	maps.Copy(words, keysBelow())
	words["max_tokens"] = `"max_output_tokens" under "params" for one answer, "max_tokens" under "stop" for all turns`
	return words
}

// keysBelow are keys that stand a level deeper, in a file and in a step alike.
func keysBelow() map[string]string {
	words := map[string]string{}
	for group, keys := range map[string][]string{
		"stop":   {"max_turns", "max_tokens", "max_tool_calls", "max_cost_usd", "on_tool", "repeated_calls", "on_limit"},
		"params": {"temperature", "top_p", "max_output_tokens", "seed", "reasoning"},
		"retry":  {"max_attempts", "backoff", "max_backoff"},
	} {
		for _, key := range keys {
			words[key] = `under "` + group + `"`
		}
	}
	return words
}

// foreignTools are names that other programs have for tools, and that models have
// for them.
func foreignTools() map[string]string {
	return map[string]string{
		"shell": "bash", "sh": "bash", "terminal": "bash", "run": "bash", "command": "bash", "execute": "bash", "exec": "bash", "run_command": "bash",
		"read_file": "read", "readfile": "read", "view": "read", "cat": "read", "open": "read", "write_file": "write", "writefile": "write", "create_file": "write",
		"edit_file": "edit", "str_replace": "edit", "replace": "edit", "patch": "edit", "ls": "list", "list_files": "list", "list_directory": "list", "find": "glob",
		"search": "grep", "search_files": "grep", "rg": "grep", "ripgrep": "grep", "fetch": "webfetch", "http": "webfetch", "curl": "webfetch", "web_fetch": "webfetch",
	}
}
