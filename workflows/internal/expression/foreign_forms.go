package expression

// foreignForms are rewrites in the order in which they are made. In a pattern, @ is an
// operand: a name with its fields, a literal, or a call.
var foreignForms = [][]string{
	// JavaScript, Python
	{`===`, `==`}, {`!==`, `!=`}, {`<>`, `!=`}, {`([^=!<>~])=([^=>~])`, `$1==$2`}, {`@ *=~ *@`, `$1 matches $2`},
	{`/([^/ ]+)/\.test\(@\)`, `$2 matches "$1"`}, {`/([^/ ]+)/`, `"$1"`}, {`\btypeof +@`, `type($1)`}, {`@ ?\+\+$`, `$1 + 1`}, {`^ *return +`, ``}, {`;+ *$`, ``},
	{`\b(?:JSON\.stringify|json\.dumps)\(`, `toJSON(`}, {`\b(?:JSON\.parse|json\.loads)\(`, `fromJSON(`},
	{`\bMath\.(max|min|abs|floor|ceil)\(`, `$1(`}, {`\b(?:Math\.)?round\(@\)`, `floor($1 + 0.5)`}, {`\brange\(@\)`, `0..$1 - 1`}, {`\brange\(@, *@\)`, `$1..$2 - 1`},
	{`@\.(?:length|size|count)\b(?:\(\))?`, `len($1)`}, {`@\.(?:toString|to_s)\(\)`, `string($1)`}, {`@\.(?:slice|substring)\(@, *@\)`, `$1[$2:$3]`}, {`@\.(?:slice|substring)\(@\)`, `$1[$2:]`},
	{`@\.(?:toLowerCase|downcase)\(\)`, `lower($1)`}, {`@\.(?:toUpperCase|upcase)\(\)`, `upper($1)`}, {`@\.(?:isEmpty|empty)(?:\(\)|\?)`, `$1 == ""`, `len($1) == 0`},
	{`(\x00\d+\x00)\.join\(@\)`, `join($2, $1)`}, {`\bjoin\((\x00\d+\x00), *@\)`, `join($2, $1)`}, {`@\.(?:concat|append|push)\(@\)`, `concat($1, $2)`, `concat($1, [$2])`, `$1 + $2`},
	{`@\.(?:startsWith|startswith|hasPrefix)\(@\)`, `$1 startsWith $2`}, {`@\.(?:endsWith|endswith|hasSuffix)\(@\)`, `$1 endsWith $2`},
	{`@\.(?:includes|contains|has|index)\(@\)`, `$2 in $1`, `$1 contains $2`}, {`@\.(?:match|matches|test)\(@\)`, `$1 matches $2`},
	{`@\.(trim|split|replace|join|map|filter|find|sort|reverse|lower|upper|keys|values|repeat|indexOf|first|last)\(\)`, `$2($1)`},
	{`@\.(trim|split|replace|join|map|filter|find|sort|reverse|lower|upper|keys|values|repeat|indexOf|every|some|strip)\(`, `$2($1, `},
	{`\bstrip\(`, `trim(`}, {`\bevery\(`, `all(`}, {`\bsome\(`, `any(`}, {`\b(?:unique|distinct)\(`, `uniq(`}, {`\bappend\(@, *@\)`, `concat($1, [$2])`},
	{`\[\.\.\.@, *@\]`, `concat($1, [$2])`}, {`@ *\+ *(\[[^\[\]]*\])`, `concat($1, $2)`},
	{`^ *(.+) if (.+) else (.+)$`, `$2 ? $1 : $3`}, {`^ *if (.+) then (.+) else (.+)$`, `$1 ? $2 : $3`},
	{`@ in \(([^()]*)\)`, `$1 in [$2]`}, {`!in\b`, `not in`}, {`\bNOT\b`, `not`}, {`\bAND\b`, `and`}, {`\bOR\b`, `or`},
	{`\bis not\b`, `!=`}, {`\bis (defined|not)\b`, `!= nil`}, {`\bis\b`, `==`}, {`== (?:undefined)\b`, `== nil`},
	{`\bTrue\b`, `true`}, {`\bFalse\b`, `false`}, {`\b(?:None|null|Null|NULL|undefined)\b`, `nil`},
	{`\bmod\b`, `%`}, {`\bdiv\b`, `/`}, {`::|->`, `.`}, {` \. | *~ *`, ` + `}, {` & `, ` and `, ` + `},
	{`\beq\b`, `==`}, {`\bne\b`, `!=`}, {`\blt\b`, `<`}, {`\ble\b`, `<=`}, {`\bgt\b`, `>`}, {`\bge\b`, `>=`},
	{`@!`, `$1`}, {`^ *(?:const|var) `, `let `}, {`\b(?:print|echo|puts|console\.log)\(@\)`, `$1`}, {`(\d)\.\.\.(\d)`, `$1..$2`}, {`, *\{ *(\w+ *:[^{}]*)\}\)`, `, {{$1}})`},
	{`\bfilter\(@, *(\x00\d+\x00)\)`, `filter($1, # == $2)`}, {`\b(any|all|none|one|count)\(@, *(\x00\d+\x00)\)`, `$1($2, # == $3)`},
	{`@ == (\x00\d+\x00) +(?:or|\|\|) +(\x00\d+\x00)`, `$1 in [$2, $3]`}, {`@ != (\x00\d+\x00) +(?:or|\|\||and|&&) +(\x00\d+\x00)`, `$1 not in [$2, $3]`},
	// bash
	{`^test (.+)$`, `$1`}, {`^\[?\[ (.+) \]\]?$`, `$1`}, {` -eq `, ` == `}, {` -ne `, ` != `}, {` -lt `, ` < `}, {` -le `, ` <= `}, {` -gt `, ` > `}, {` -ge `, ` >= `},
	{`(^| )-z @`, `$1$2 == ""`}, {`(^| )-n @`, `$1$2 != ""`}, {`(^| )-[ef] @`, `${1}len(glob($2)) > 0`},
	{`\b(?:process\.env|ENV|os\.environ)\.(\w+)`, `env.$1`}, {`\b(?:os\.environ|ENV|env)\[@\]`, `env[$1]`}, {`\bos\.(?:getenv|environ\.get)\(@\)`, `env[$1]`},
	// Actions of GitHub
	{`!cancelled\(\)`, `success() or failure()`}, {`\bsteps\.(\w+)\.outputs\b`, `steps.$1.output`}, {`\bneeds\.(\w+)\.outputs\b`, `steps.$1.output`},
	{`\bneeds\.(\w+)\.result\b`, `steps.$1.status`}, {`\bneeds\.`, `steps.`}, {`\bsteps\.(\w+)\.(?:outcome|conclusion|result)\b`, `steps.$1.status`},
	{`\.(succeeded|failed|skipped|cancelled)\b`, `.status == "$1"`}, {`\.(status [=!]= )(?:success|succeeded)\b(?:\(\))?`, `.$1"succeeded"`}, {`\.(status [=!]= )(?:failure|failed|error)\b(?:\(\))?`, `.$1"failed"`},
	{`\bsteps\.(\w+)\[(\w+)\]\.(output|text|status|error|item|index)\b`, `steps.$1.results[$2].$3`}, {`\bsteps\.(\w+)\[`, `steps.$1.output[`},
	{`\bcontains\(@, *@\)`, `$2 in $1`, `$1 contains $2`}, {`\b(startsWith|endsWith|matches)\(@, *@\)`, `$2 $1 $3`},
	{`\b(?:match|test|regexMatch)\(@, *@\)`, `$1 matches $2`}, {`\bre\.(?:match|search)\(@, *@\)`, `$2 matches $1`},
	{`\bhashFiles\(@\)`, `hash(map(glob($1), file(#)))`}, {`\bmatrix\.(\w+)`, `item.$1`, `item`},
	// Jinja, jq, templates of Go
	{`@ *\| *(?:default|d)\(@\)`, `$1 ?? $2`, `($1 ?? $2)`}, {`\b(?:coalesce|default)\(@, *@\)`, `($1 ?? $2)`}, {`\bloop\.index0`, `index`}, {`\bloop\.first\b`, `index == 0`}, {`\bloop\.index\b`, `index + 1`},
	{` *\| *(\w+) *($|[^\w(.\s])`, ` | $1() $2`},
	{`\| *(?:length|size|count)\(\)`, `| len()`}, {`\| *(?:tojson|to_json|json|toJson)\(\)`, `| toJSON()`}, {`\| *(?:fromjson|from_json|fromJson)\(\)`, `| fromJSON()`}, {`\| *unique\(\)`, `| uniq()`},
	{`@\[\]\.(\w+)|@\[\*\]\.(\w+)|@\.\*\.(\w+)`, `map($1$3$5, .$2$4$6)`}, {`@(?:\[\]|\[\*\]|\.\*)`, `$1`}, {`@\.(\d+)\b`, `$1[$2]`},
	{`\bselect\(\. *`, `filter(# `}, {`\bselect\(`, `filter(`}, {`^ *\.(\w)`, `$1`, `inputs.$1`},
	{`^ *(==|eq) +@ +@ *$`, `$2 == $3`}, {`^ *(\w+) +@ *$`, `$1($2)`}, {`^ *(\w+) +@ +@ *$`, `$1($2, $3)`},
	// names of functions
	{`\b(?:length|size)\(`, `len(`}, {`\b(?:str|String|toString)\(`, `string(`}, {`\b(?:parseInt|Number)\(`, `int(`}, {`\bparseFloat\(`, `float(`},
	{`\b(?:sorted)\(`, `sort(`}, {`\breversed\(`, `reverse(`}, {`\bbool\(@\)`, `$1 == "true"`, `$1`}, {`\bint\(@\)`, `$1 ? 1 : 0`},
	{`\b(?:uppercase|toUpper|toUpperCase)\(`, `upper(`}, {`\b(?:lowercase|toLower|toLowerCase)\(`, `lower(`}, {`\b(?:substr|substring|slice)\(@, *@, *@\)`, `$1[$2:$3]`},
	{`\b(?:empty|isEmpty)\(@\)`, `$1 == ""`, `len($1) == 0`}, {`\bdefined\(@\)`, `$1 != nil`}, {`\b(?:exists|fileExists|file_exists)\(@\)`, `len(glob($1)) > 0`},
	{`\b(?:readFile|readfile|read_file|read|cat|open|include|load)\(@\)(?:\.read\(\))?`, `file($1)`}, {`\bglob\(@, *@\)`, `concat(glob($1), glob($2))`}, {`\bconcat\(@, *@\)`, `$1 + $2`},
	{`\b(file|glob)\(([\w./*?{},-]*[.*/][\w./*?{},-]*)\)`, `$1("$2")`}, {`\$\{ *([A-Z]\w*) *\}|\$([A-Z]\w*)`, `env.$1$2`}, {`@ in @`, `$2 contains $1`}, {`\$(\w+)`, `inputs.$1`, `$1`},
}
