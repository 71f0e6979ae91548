package workflows

import (
	"strings"
	"testing"
)

// TestShellUses gives, for each use of an expression, what the shell gets
// there, or the mistake that it is.
func TestShellUses(t *testing.T) {
	const v, q = "${FLOW_VALUE_1}", `"${FLOW_VALUE_1}"`
	tests := []struct{ what, script, want, mistake string }{
		{"bare", `echo @`, `echo ` + q, ""},
		{"glued", `echo a@b`, `echo a` + q + `b`, ""},
		{"double quotes", `echo "a @ b"`, `echo "a ` + v + ` b"`, ""},
		{"substitution in double quotes", `echo "$(cat @)"`, `echo "$(cat ` + q + `)"`, ""},
		{"double quotes in a substitution in double quotes", `echo "$(cat "@")"`, `echo "$(cat "` + v + `")"`, ""},
		{"process substitution", `cat <(echo @)`, `cat <(echo ` + q + `)`, ""},
		{"subshell", `(echo @)`, `(echo ` + q + `)`, ""},
		{"pipe", `echo @ | cat`, `echo ` + q + ` | cat`, ""},
		{"background", `sleep @ &`, `sleep ` + q + ` &`, ""},
		{"redirect", `echo > @`, `echo > ` + q, ""},
		{"here-string", `cat <<< @`, `cat <<< ` + q, ""},
		{"assignment", `x=@ cmd`, `x=` + q + ` cmd`, ""},
		{"array", `x=(a @)`, `x=(a ` + q + `)`, ""},
		{"export", `export x=@`, `export x=` + q, ""},
		{"default", `echo ${x:-@}`, `echo ${x:-` + q + `}`, ""},
		{"default in double quotes", `echo "${x:-@}"`, `echo "${x:-` + v + `}"`, ""},
		{"error message", `echo ${x:?@}`, `echo ${x:?` + q + `}`, ""},
		{"test", `[[ $x == @ ]]`, `[[ $x == ` + q + ` ]]`, ""},
		{"regular expression", `[[ $x =~ @ ]]`, `[[ $x =~ ` + q + ` ]]`, ""},
		{"file test", `[[ -f @ ]]`, `[[ -f ` + q + ` ]]`, ""},
		{"bracket", `[ @ -eq 1 ]`, `[ ` + q + ` -eq 1 ]`, ""},
		{"case", `case @ in x) ;; esac`, `case ` + q + ` in x) ;; esac`, ""},
		{"case pattern", `case x in @) ;; esac`, `case x in ` + q + `) ;; esac`, ""},
		{"for", `for i in @; do :; done`, `for i in ` + q + `; do :; done`, ""},
		{"comment", "echo # @", "echo # " + v, ""},
		{"substitution in arithmetic", `echo $(( $(cat @) ))`, `echo $(( $(cat ` + q + `) ))`, ""},
		{"argument of a shell", `bash -c 'echo "$1"' bash @`, `bash -c 'echo "$1"' bash ` + q, ""},
		{"script of a shell", `bash @`, `bash ` + q, ""},
		{"value of printf -v", `printf -v x %s @`, `printf -v x %s ` + q, ""},

		{"single quotes", `echo 'a @'`, "", "inside single quotes"},
		{"dollar quotes", `echo $'a @'`, "", "inside single quotes"},
		{"backquotes", "echo `cat @`", "", "inside backquotes"},
		{"arithmetic", `echo $((@ + 1))`, "", "as arithmetic"},
		{"arithmetic in double quotes", `echo "$((@))"`, "", "as arithmetic"},
		{"arithmetic command", `((x = @))`, "", "as arithmetic"},
		{"let", `let x=@`, "", "as arithmetic"},
		{"loop head", `for ((i = @; i; i--)); do :; done`, "", "as arithmetic"},
		{"offset", `echo ${x:@}`, "", "as arithmetic"},
		{"length", `echo ${x:1:@}`, "", "as arithmetic"},
		{"subscript", `echo ${x[@]}`, "", "as arithmetic"},
		{"subscript of an assignment", `x[@]=1`, "", "as arithmetic"},
		{"subscript of an element", `x=([@]=1)`, "", "as arithmetic"},
		{"numeric test", `[[ 1 -lt @ ]]`, "", "as arithmetic"},
		{"variable test", `[[ -v @ ]]`, "", "as the name of a variable"},
		{"removed prefix", `echo ${x#@}`, "", "as a pattern"},
		{"removed suffix", `echo "${x%%@}"`, "", "as a pattern"},
		{"replaced", `echo ${x/@/y}`, "", "as a pattern"},
		{"replacement", `echo ${x/y/@}`, "", "as a pattern"},
		{"quoted here-document", "cat <<'E'\n@\nE", "", "here-document"},
		{"delimiter", "cat <<@\nx\n@", "", "script"},
		{"eval", `eval @`, "", "eval"},
		{"eval in double quotes", `eval "x=@"`, "", "eval"},
		{"shell's script", `bash -euc "echo @"`, "", "takes as code"},
		{"path of a shell", `/bin/sh -c "echo @"`, "", "takes as code"},
		{"shell's script after an option", `bash -c -e "echo @"`, "", "takes as code"},
		{"trap", `trap "rm @" EXIT`, "", "trap"},
		{"declared number", `declare -i x=@`, "", "name of a variable"},
		{"declared name", `local @`, "", "name of a variable"},
		{"name of printf", `printf -v @ x`, "", "name of a variable"},
		{"read", `read @`, "", "read"},
		{"no script", `if @`, "", "can't read the script"},
		{"backslash", `echo \@`, "", "behind a backslash"},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			script := strings.ReplaceAll(tt.script, "@", "${{ run.id }}")
			w, ds := Parse("x.yaml", []byte("name: x\nsteps:\n  - run: |-\n      "+strings.ReplaceAll(script, "\n", "\n      ")+"\n"), Options{})
			if tt.mistake != "" {
				if !contains(ds, tt.mistake) {
					t.Errorf("got %v, want %q", ds, tt.mistake)
				}
				return
			}
			if w == nil {
				t.Fatal(ds)
			}
			r, err := w.Steps[0].Command.Script.Render(testEnv())
			if err != nil || r.Source != tt.want {
				t.Errorf("got %s, %v; want %s", r.Source, err, tt.want)
			}
		})
	}
}

// TestShellNumbers puts numbers where the shell computes: nothing else may
// stand there, and nothing else ever gets there.
func TestShellNumbers(t *testing.T) {
	tests := []struct{ what, script, want string }{
		{"arithmetic", `echo $((1 + ${{ inputs.n }}))`, "3"},
		{"in double quotes", `echo "$((${{ inputs.n }} * 2))"`, "4"},
		{"an expression", `echo $((${{ len(inputs.list) + 1 }} - 1))`, "2"},
		{"command", `((x = ${{ inputs.n }})); echo $x`, "2"},
		{"let", `let x=${{ inputs.n }}+1; echo $x`, "3"},
		{"numeric test", `[[ 1 -lt ${{ inputs.n }} ]] && echo yes`, "yes"},
		{"offset and length", `x=abcdef; echo ${x:${{ inputs.n }}:${{ inputs.n }}}`, "cd"},
		{"subscript", `x=(a b c); echo ${x[${{ inputs.n }}]}`, "c"},
		{"loop", `for ((i = 0; i < ${{ inputs.n }}; i++)); do printf $i; done`, "01"},
	}
	env := Env{"inputs": map[string]any{"n": 2, "list": []any{"a", "b"}}}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			w := parseRight(t, "name: x\ninputs: {n: {type: integer}, list: {type: array}}\nsteps:\n  - run: |-\n      "+tt.script+"\n")
			r, err := w.Steps[0].Command.Script.Render(env)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.TrimSpace(runShell(t, "bash", r)); got != tt.want {
				t.Errorf("%s gives %q, want %q", r.Source, got, tt.want)
			}
		})
	}
}

// TestShellNumbersAreChecked shows that a value of another type than the file
// says does not reach the shell.
func TestShellNumbersAreChecked(t *testing.T) {
	w := parseRight(t, "name: x\ninputs: {n: {type: integer}}\nsteps: [{run: 'echo $((1 + ${{ inputs.n }}))'}]\n")
	for _, value := range []any{"a[$(touch pwned)]", nil, true, []any{1}, map[string]any{}} {
		_, err := w.Steps[0].Command.Script.Render(Env{"inputs": map[string]any{"n": value}})
		if err == nil || !strings.Contains(err.Error(), "takes a number here, not ") {
			t.Errorf("%v: %v", value, err)
		}
	}
	for _, declared := range []string{"{type: string}", "{}", "{type: [integer, string]}", "{type: boolean}", "{type: array}"} {
		_, ds := Parse("x.yaml", []byte("name: x\ninputs: {n: "+declared+"}\nsteps: [{run: 'echo $((1 + ${{ inputs.n }}))'}]\n"), Options{})
		if !contains(ds, "as arithmetic") {
			t.Errorf("%s: %v", declared, ds)
		}
	}
}
