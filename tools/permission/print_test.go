package permission

import (
	"testing"
)

// TestScript compares what runs with what was judged: every part in its one form.
func TestScript(t *testing.T) {
	m := newSandbox(t)
	p := shellCase{rules: Rules{"bash": only("*", Allow), "write": only("**", Allow)}}.policy(t, m)
	home := m.path("/home/u")
	for command, want := range map[string]string{
		`git log -3`:                              `'git' 'log' '-3'`,
		`\cd  docs&&l\s "a b"$'\x41'`:             `'cd' 'docs' && 'ls' 'a bA'`,
		`echo "a $x b" $y.go it\'s`:               `'echo' 'a '"${x}"' b' ${y}'.go' 'it'\''s'`,
		`echo {a,b}c {1..3} a{b {}`:               `'echo' 'ac' 'bc' '1' '2' '3' 'a{b' '{}'`,
		`echo ~/x *.go a?[a-c]'*' [`:              `'echo' '` + home + `/x' *'.go' 'a'?[a-c]'*' '['`,
		`echo $'a\001b' $'\n'`:                    `'echo' $'a\001b' '` + "\n" + `'`,
		`echo "${x##*/}" "${x%.go}" ${#x}`:        `'echo' "${x##*/}" "${x%.go}" ${#x}`,
		"echo `id` $(id; id) $((1+2))":            `'echo' $( 'id'; ) $( 'id'; 'id'; ) $(( 1+2 ))`,
		"cat <<'E'\n$(id) \\\nE":                  `'cat' <<<'$(id) \'`,
		"cat <<E\n$x $(id) \\$y\nE":               `'cat' <<<"${x}"' '"$( 'id'; )"' $y'`,
		"a & b\nc; d |& e":                        "'a' &\n'b'\n'c'\n'd' |& 'e'",
		`ls >a 2>&1 <b >&c`:                       `'ls' > 'a' 2>&1 < 'b' &> 'c'`,
		`X=1 Y="$z" env -- A=~ ls`:                `X='1' Y="${z}" 'env' '--' 'A=` + home + `' 'ls'`,
		`if a; then b; elif c; then d; fi`:        `if 'a'; then 'b'; elif 'c'; then 'd'; fi`,
		`for f in *.go; do a "$f"; done`:          `for f in *'.go'; do 'a' "${f}"; done`,
		`case $x in a*|"b c") ls;; esac`:          `case ${x} in ('a'* | 'b c') 'ls'; ;; esac`,
		`[[ $x == a* && $y =~ ^a+(b)?$ ]]`:        `[[ ${x} == 'a'* && ${y} =~ ^a+(b)?$ ]]`,
		`bash -c 'l\s "$1"' x`:                    `'bash' '-c' ''\''ls'\'' "${1}"' 'x'`,
		`timeout 5 sh -c "cd docs && ls"`:         `'timeout' '5' 'bash' '-c' ''\''cd'\'' '\''docs'\'' && '\''ls'\'''`,
		`bash --posix -e -c 'l\s'`:                `'bash' '-e' '-c' ''\''ls'\'''`,
		`find . -exec sh -c 'l\s' {} +`:           `'find' '.' '-exec' 'bash' '-c' ''\''ls'\''' '{}' '+'`,
		"while a; do b; done <<<c; time -p d\n e": "while 'a'; do 'b'; done <<<'c'\ntime -p 'd'\n'e'",
	} {
		if got, err := p.Read(command, ""); got.Script != want {
			t.Errorf("%s\ngot  %s (%v)\nwant %s", command, got.Script, err, want)
		}
	}
}

// TestUnprintable: what two readers could take in two ways does not run, whatever
// the rules.
func TestUnprintable(t *testing.T) {
	m := newSandbox(t)
	p := shellCase{rules: Rules{"bash": {{"*", Allow}, {"never *", Deny}}, "write": only("**", Allow)}}.policy(t, m)
	for _, command := range []string{
		`true "${a:-'$(id)'}"`,
		`true "${a-'$(id)'}"`, `true "${a:+'$(id)'}"`, `true "${a+'x$(id)'}"`, `true "${a:?'$(id)'}"`, `true "${a:='$(id)'}"`,
		`x="${a:-'$(id)'}"`, `[[ -n "${a:-'$(id)'}" ]]`, `for i in "${a:-'$(id)'}"; do :; done`, `case "${a:-'$(id)'}" in x) ;; esac`,
		`cat <<< "${a:-'$(id)'}"`, "cat <<E\n${a:-'$(id)'}\nE", `true "${a:-$'$(id)'}"`, "true \"${a:-'`id`'}\"",
		`true "${a:-${b:-'$(id)'}}"`, `true "${a:-"${b:-'$(id)'}"}"`, `true "$(true "${a:-'$(id)'}")"`,
		`true $((${a:-'$(id)'}))`, `true "${a//x/'$(id)'}"`, `true "${a:$((${b:-'$(id)'}))}"`,
		`bash -c 'true "${a:-'\''$(id)'\''}"'`, `eval 'true "${a:-'"'"'$(id)'"'"'}"'`,
		`: 2>& 'docs/x$(id)'`, `read -r x; : >& "docs/$x/y"`, `: 1>& docs/x`,
		"cat <<$x\n$x\n", `true "${a:-\'$(id)\'}"`,
	} {
		if d := p.Decide(bashCall(command)); d.Verdict != Deny || !d.Never {
			t.Errorf("%s\ngot %v (never %v)", command, d.Verdict, d.Never)
		}
	}
}
