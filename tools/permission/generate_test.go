package permission

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// grammar writes shell scripts out of every construct, in the many ways in which
// one can be written. Its programs are those of stubNames.
type grammar struct{ *rand.Rand }

// pick returns one of some texts.
func (g grammar) pick(texts ...string) string { return texts[g.IntN(len(texts))] }

// script returns a script that is at most depth constructs deep, now and then
// with a piece of text thrown in where a parser may lose its place.
func (g grammar) script(depth int) string {
	text := g.list(depth)
	for g.IntN(4) == 0 {
		at := g.IntN(len(text) + 1)
		text = text[:at] + g.noise() + text[at:]
	}
	return text
}

func (g grammar) noise() string {
	return g.pick(" #", "#", "\n", "\\\n", "\\", " ", ";", "'", "\"", "`", "$", "{", "}", "(", ")", "\t", "&", "|", "<", "~", "=", "!", "$'", "\\\\\n", "*", "[", ",")
}

// list returns commands joined in one of the shell's ways.
func (g grammar) list(depth int) string {
	if depth == 0 {
		return g.simple(0)
	}
	sub := func() string { return g.list(depth - 1) }
	switch g.IntN(8) {
	case 0, 1:
		return g.simple(depth)
	case 2:
		return sub() + g.pick("; ", " && ", " || ", " | ", " |& ", " & ", "\n", " &\n", ";", "&&\n\n", "|\n# x\n") + sub()
	case 3:
		return g.compound(depth)
	case 4:
		return g.definition(depth)
	case 5:
		return g.hereDocument(depth)
	case 6:
		return sub() + g.soup() + sub()
	}
	return g.pick("! ", "time ", "time -p ", "! ! ", "") + sub()
}

func (g grammar) compound(depth int) string {
	sub := func() string { return g.list(depth - 1) }
	word := func() string { return g.word(depth) }
	switch g.IntN(16) {
	case 0:
		return "{ " + sub() + "\n}" + g.redirect(depth)
	case 1:
		return "(" + g.pick(" ", "\n", "") + sub() + "\n)" + g.redirect(depth)
	case 2:
		return "if " + sub() + "\nthen " + sub() + "\nelif " + sub() + "\nthen :; else " + sub() + "\nfi"
	case 3:
		return "for v in " + word() + " " + word() + "; do " + sub() + "\ndone"
	case 4:
		return "for v in " + word() + "\n{ " + sub() + "\n}"
	case 5:
		return "for ((i = 0; i < 2; i++)); do " + sub() + "\ndone"
	case 6:
		return "case " + word() + " in x) " + sub() + "\n" + g.pick(";;", ";&", ";;&") + " (a|" + word() + ") " + sub() + "\n;; *) " + sub() + "\nesac"
	case 7:
		return "while " + sub() + "\ndo " + sub() + "\nbreak; done"
	case 8:
		return "until ! " + sub() + "\ndo " + sub() + "\nbreak\ndone"
	case 9:
		return "[[ " + g.test(depth) + " ]] " + g.pick("&& ", "|| ", "; ") + sub()
	case 10:
		return "[ -n " + word() + " ] && " + sub()
	case 11:
		return "((" + g.pick("1", "x", "x=2", "1+(2)", "$(echo 1)") + ")) " + g.pick("&&", "||") + " " + sub()
	case 12:
		return "coproc " + g.pick("", "N ") + "{ " + sub() + "\n}; wait"
	case 13:
		return "select v in " + word() + "; do " + sub() + "\nbreak; done <<<1"
	case 14:
		return g.pick("eval ", "eval -- ", "bash -c ", "trap -- ", "builtin eval ", "command eval ") + single(sub()) + g.pick("", " EXIT", " 0")
	}
	return "trap " + single(sub()) + " " + g.pick("EXIT", "DEBUG", "ERR", "RETURN")
}

func (g grammar) test(depth int) string {
	word := func() string { return g.word(depth) }
	switch g.IntN(5) {
	case 0:
		return "-n " + word()
	case 1:
		return word() + " == " + word()
	case 2:
		return "! ( " + word() + " =~ " + g.pick("a", "(a|b)", "^x", word()) + " )"
	case 3:
		return word() + g.pick(" -eq ", " < ", " -nt ") + word()
	}
	return "-z $none && x = " + word()
}

// definition returns a variable, function or alias and something that uses it.
func (g grammar) definition(depth int) string {
	sub := func() string { return g.list(depth - 1) }
	name := g.pick(stubNames...)
	switch g.IntN(9) {
	case 0:
		set := g.pick("v=%s; ", "v=%s ", "{ v=%s; } & ", "v=%s && : & ", "v=%s | : ; ", "if v=%s; then :; fi; ", "time v=%s; ")
		return fmt.Sprintf(set, g.pick("x", name, g.word(depth))) + g.pick(sub(), name+" \"$v\" x", name+" $v/x")
	case 1:
		return g.pick("f() { ", "function f { ", "function f() {\n", "f ( )\n{ ") + sub() + "\n}\nf"
	case 2:
		return name + "() ( " + sub() + "\n)\n" + sub()
	case 3:
		return "a=(" + g.word(depth) + " " + g.spell(name) + ")\n" + g.pick("${a[1]} x", "\"${a[@]}\"", "$a", "${a[*]}")
	case 4:
		return g.pick("declare", "local", "export", "readonly", "typeset") + g.pick("", " -x", " -a", " -i") + " v=" + g.word(depth) + "; " + sub()
	case 5:
		return g.pick("a[", "a[", "read 'a[$(bb)]' <<<1\na[") + g.pick("0", "1", "$(echo 1)", "x") + "]=" + g.word(depth) + "\n" + sub()
	case 6:
		return "shopt -s expand_aliases\nalias " + g.pick("aa", "zz", "bb") + "=" + single(g.pick(name, name+" x", "echo; "+name, name+" ")) + "\n" + g.pick("aa", "zz", "bb") + " x"
	case 7:
		return "v=" + name + "; " + g.pick("$v", "\"$v\"", "${v}", "${v:-x}", "${!w}", "${v@P}", "${v/a/b}", "${v:0}") + " " + g.word(depth)
	}
	return "set -- " + g.word(depth) + " " + g.spell(name) + "; " + g.pick("$2", "\"$@\"", "$*", "shift; \"$@\"", "\"${@:2}\"")
}

func (g grammar) hereDocument(depth int) string {
	body := g.pick(g.word(depth), "$("+g.list(depth-1)+"\n)", "`"+g.spell("aa")+" x`", "\\$(aa)", "x\\\n$(bb)", "'$(cc)'", "${none:-$(dd)}", "$((1))")
	switch g.IntN(5) {
	case 0:
		return "{ " + g.simple(depth) + " <<EOF\n" + body + "\nEOF\n}"
	case 1:
		return "{ " + g.simple(depth) + " <<" + g.pick("'EOF'", "\\EOF", "\"EOF\"", "E'O'F") + "\n" + body + "\nEOF\n}"
	case 2:
		return "{ " + g.simple(depth) + " <<-EOF\n\t" + body + "\n\tEOF\n}"
	case 3:
		return "{ " + g.simple(depth) + " <<A <<B; " + g.simple(0) + "\n" + body + "\nA\n" + g.word(0) + "\nB\n}"
	}
	return "{ bash <<EOF\n" + g.spell("aa") + " x\nEOF\n}"
}

// soup returns what may stand between two commands: comments, newlines and
// backslashes in any order.
func (g grammar) soup() string {
	var out strings.Builder
	for range 1 + g.IntN(5) {
		out.WriteString(g.pick(" #", "\n", "\\\n", "\\", " ", "x", ";", "\n#", "'", "\"", "`#", "${#x}", " #\\\n", "\\\\\n", "a#b", "\t#", "&#", "$#", "{#", "(#"))
	}
	return out.String() + "\n"
}

// single quotes a script.
func single(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func (g grammar) simple(depth int) string {
	prefix := g.pick(
		"", "", "", "", "", "", "env ", "env A=b ", "env -i PATH=\"$PATH\" ", "nice ", "nohup ", "timeout 5 ", "command ", "exec ", "X=1 ", "LANG=C ",
		"builtin command ", "find f1.txt -exec ", "echo x | xargs ", "builtin eval ", "command -p ", "exec -a x ", "env -- ", "timeout -k 1 5 ",
		"nice -n 1 ", "xargs -I{} ", "env -u HOME ", "<f1.txt xargs -n1 ", ">out ", "2>&1 ", "X=$(aa) ", "eval ", "eval 'x=1;' ", "xargs <f1.txt ",
	)
	words := []string{prefix + g.spell(g.pick(stubNames...))}
	for range g.IntN(3) {
		words = append(words, g.word(depth))
	}
	command := strings.Join(words, " ")
	if strings.HasPrefix(prefix, "find") {
		command += g.pick(` {} \;`, ` {} +`, ` ';'`)
	}
	return command + g.redirect(depth)
}

func (g grammar) redirect(depth int) string {
	return g.pick("", "", "", "", " >out", " 2>/dev/null", " <f1.txt", " <<<"+g.word(depth), " >&2", " &>out", " >|out", " {fd}>out", " 3<&0", " <>out", " >&-x", " 2>&-", " >& -n", " <&-x", " >&1-", " >&out", " &>>out", " >|x", " > >(bb)", " 2>&1")
}

// spell writes a name in one of the shell's many ways.
func (g grammar) spell(name string) string {
	head, tail := name[:1], name[1:]
	return g.pick(
		name, name, name, name, name, name, name, `"`+name+`"`, "'"+name+"'", `\`+name, head+`""`+tail, head+"''"+tail, "$'\\x"+fmt.Sprintf("%x", name[0])+"'"+tail,
		head+"\\\n"+tail, "{"+name+",x}", "{,}"+name, "$(echo "+name+")", "`echo "+name+"`", "${none:-"+name+"}", "${none-"+name+"}",
		"$'"+name+"\\0z'", head+"$none"+tail, "$'\\"+fmt.Sprintf("%o", name[0])+"'"+tail, "$'\\u00"+fmt.Sprintf("%x", name[0])+"'"+tail,
		"$\""+name+"\"", "{"+name+",}", "${IFS}"+name, "$'\\x{"+fmt.Sprintf("%x", name[0])+"}'"+tail, "bin/"+name, "$_"+name, "$(<name)"+name,
		"\"$(echo "+name+")\"", head+"\\"+tail, "${none:+x}"+name, "$@"+name, "\"$@\""+name, "$((1))"+name, head+"{"+tail[:1]+",b}", "[a-d]"+tail, head+"?", "~+/bin/"+name,
	)
}

// word returns an argument; one of some depth may run commands.
func (g grammar) word(depth int) string {
	plain := []string{
		"x", "-n", "*.txt", "f?.txt", "'a b'", `"q"`, "$none", `"$none"`, "~", "{1..3}", "{a,b}c", "$((1+2))", `\*`, "a{b", "f[12].txt", "$'t\\tu'",
		"--", "a=~/b", "{3..1}", "{a..c}", "{01..03}", "x{,y}z", "{a,{b,c}}d", `"{a,b}"`, "\\{a,b}", "{a,b\\,c}", "{a", "a,b}", "{}", "{1..x}", "~/z", "'~'",
		"{a..e..2}", "{-1..1}", "${none:-{a,b}}", "{\"a b\",c}", "{$none,k}", "$'\\cA'", "1a=~", "=~", "a=~\"\"x", "a+=~", "$'\\e'", "#x", "x#y", "\\#x", "\"#\"",
		"${#none}", "${none#x}", "${none/x/#}", "$#", "$'a\\'b'", "\"a'b\"", "'a\"b'", "\"a\\\"b\"", "$\"x\"", "a\\\nb", "\"a\\\nb\"", "'a\\\nb'", "[", "]", "!", "a!b", "=", "x=y",
		"!(x)", "@(x|y)", "x[", "${none:-\"}\"}", "${none:-'}'}", "${none:-\\}}", "\"${none:-'}\"", "\"${none:-\"x\"}\"", "${none//\\//x}", "$((16#f))", "$(( 1 # 2 ))", "$[1]",
		"f{1,2}.txt", "{f1,f2}.txt", "{1..3}{a,b}", "{a,b}{", "{{a,b}", "{a,b}}", "${none:-x y}", "${IFS}", "$IFS", "\"\"", "''", "$''", "{,}", "{a,b},c", "{a,b}$none", "-exec", "I{}",
		"\\\n", "a\\", "~root", "~+", "\"~\"", "a:~", "a=b:~", "{~,x}", "{x,~}/y",
	}
	if depth == 0 || g.IntN(3) > 0 {
		return plain[g.IntN(len(plain))]
	}
	inner := g.list(depth - 1)
	return g.pick(
		"$("+inner+"\n)", `"$(`+inner+"\n)\"", "<("+inner+"\n)", ">("+inner+"\n)", "${none:-$("+inner+"\n)}", `"a$(`+inner+"\n)b\"", "$(( $("+inner+"\n) 1 ))",
		"${none:=$("+inner+"\n)}", "${PATH#$("+inner+"\n)}", "${PATH/$("+inner+"\n)/q}", "`"+strings.NewReplacer("\\", "\\\\", "`", "\\`").Replace(inner)+"\n`",
		"\"${none:-`"+g.spell("aa")+"`}\"", "${a[$("+inner+"\n)]}", "${PATH:$("+inner+"\n)}", "${none:+$("+inner+"\n)}", "x{$("+inner+"\n),b}", "${PATH^^$("+inner+"\n)}",
		"$(( a[$("+inner+"\n)] ))", "$((`"+g.spell("bb")+"`1))", "$(<f1.txt)", "$( # )\n"+inner+"\n)", "$(case x in x) "+inner+"\n;; esac)", "${ "+inner+"\n}",
	)
}
