package shell

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestVariables: what a script needs of the environment is what it reads in capitals
// and sets nowhere.
func TestVariables(t *testing.T) {
	for script, want := range map[string]string{
		`echo $HOME "${TOKEN}" $lower`:             "TOKEN@12",
		`echo $TOKEN; echo ${TOKEN}`:               "TOKEN@5",
		`echo ${TOKEN:-none} ${TOKEN+set}`:         "",
		`TOKEN=x; echo $TOKEN`:                     "",
		`echo $TOKEN; export TOKEN=x`:              "",
		`for FILE in *; do echo $FILE; done`:       "",
		`read -r LINE; echo $LINE`:                 "",
		`echo $((COUNT + 1)) ${#NAME}`:             "NAME@20",
		`echo '$TOKEN' \$TOKEN`:                    "",
		`echo $(cat $FILE)`:                        "FILE@11",
		`. ./env.sh; echo $TOKEN`:                  "",
		`eval "$SETUP"; echo $TOKEN`:               "",
		`echo $FLOW_VALUE_1`:                       "",
		`echo $own`:                                "own@5",
		`echo "open $TOKEN`:                        "", // it can't be read
		"cat <<END\n$TOKEN\nEND":                   "TOKEN@10",
		"cat <<'END'\n$TOKEN\nEND":                 "",
		`echo $1 $@ $? $$ ${ARRAY[0]}`:             "ARRAY@17",
		`f() { local DIR=x; echo $DIR; }; f`:       "",
		`[[ -n $TOKEN ]] && printf -v OUT x; $OUT`: "TOKEN@6",
	} {
		var got []string
		for _, v := range Variables(script, "own") {
			got = append(got, fmt.Sprintf("%s@%d", v.Name, v.Offset))
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%s: %q, want %q", script, got, want)
		}
	}
}

// TestUses: each value has a use of its own.
func TestUses(t *testing.T) {
	for _, test := range []struct {
		script string
		want   []Use // Problem and Warning: how they begin
	}{
		{`echo ${V1} "${V2}"`, []Use{{Bare: true}, {}}},
		{`echo '${V1}'`, []Use{{Problem: "inside single quotes"}}},
		{`echo $((${V1} + 1))`, []Use{{Number: true}}},
		{`bash -c "${V1}"`, []Use{{Warning: "in what bash takes as code"}}},
		{`"${V1}" --help`, []Use{{Warning: "in the place of a command's name"}}},
		{`make "X=${V1}"`, []Use{{Warning: "in a variable of make"}}},
	} {
		uses, err := Uses(test.script, "V", len(test.want))
		if err != nil || len(uses) != len(test.want) {
			t.Errorf("%s: %d uses, %v", test.script, len(uses), err)
			continue
		}
		for i, use := range uses {
			want := test.want[i]
			if use.Bare != want.Bare && want.Problem+want.Warning == "" || use.Number != want.Number || !begins(use.Problem, want.Problem) || !begins(use.Warning, want.Warning) {
				t.Errorf("%s: value %d: %+v, want %+v", test.script, i+1, use, want)
			}
		}
	}
}

// begins reports whether a text begins as wanted; none does as "".
func begins(text, want string) bool {
	return strings.HasPrefix(text, want) && (want != "" || text == "")
}

// TestScriptsThatCantBeRead have their position, or none.
func TestScriptsThatCantBeRead(t *testing.T) {
	for script, want := range map[string]string{
		`echo "open`:                      "5: ",
		"if true; then echo":              "0: ",
		"echo )":                          "5: ",
		strings.Repeat("(", 100_000):      ": ",
		"echo done":                       "",
		"cat <<END\nopen":                 "4: ",
		`echo "$(echo "$(echo 'deep')")"`: "",
	} {
		_, err := Uses(script, "V", 0)
		var detailed *Error
		switch {
		case want == "" && err != nil:
			t.Errorf("%.40s: %v", script, err)
		case want != "" && (!errors.As(err, &detailed) || !strings.Contains(fmt.Sprintf("%d: %s", detailed.Offset, detailed.Error()), want)):
			t.Errorf("%.40s: %+v, want %s", script, err, want)
		}
	}
}

// TestCheckEnd: a script whose end is missing is none for any shell; of others, and of
// those that may not come to their end, nothing is said.
func TestCheckEnd(t *testing.T) {
	for script, missing := range map[string]bool{
		`echo "open`:         true,
		"if true; then echo": true,
		"for i in 1 2; do":   true,
		"echo )":             false,
		"exit 0\n'":          false,
		"cat <<END\nopen":    false,
		"echo done":          false,
	} {
		if err := CheckEnd(script); (err != nil) != missing {
			t.Errorf("%q: %v", script, err)
		}
	}
}

func TestQuoted(t *testing.T) {
	for text, want := range map[string]string{"plain": "plain", "two words": "'two words'", "it's": `"it's"`, "": "''", "$HOME": "'$HOME'", "a\x00b": "a\x00b"} {
		if got := Quoted(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
