package permission

// optionGuard lists the options of a program that make it write, or run another
// program, so that no wildcard of a rule covers them.
type optionGuard struct {
	// long are options with two dashes. --name=value counts, and any cut of the
	// name that a program might complete.
	long []string
	// short are letters, alone, glued to a value or inside a cluster.
	short string
	// valued are short options that take a value: a cluster ends with them.
	valued string
	// exact are whole words.
	exact []string
	// flags are options of Go programs: one or two dashes, =value, whole words.
	flags []string
	// fine are long options that only look like a cut of a guarded one.
	fine []string
}

// guardTable is where a program gets its guarded options. What options cannot
// say is in guards.go.
var guardTable = map[string]optionGuard{
	"awk":    awkGuard,
	"base64": {short: "o", long: []string{"--output"}},
	"cp":     copyGuard,
	"curl": {
		short: "oOKTxDc", valued: "AbdeEFHmPQrtuUwXyYz",
		long: []string{
			"--output", "--output-dir", "--remote-name", "--config", "--upload-file", "--proxy", "--next",
			"--connect-to", "--resolve", "--unix-socket",
			// These write files too.
			"--dump-header", "--cookie-jar", "--trace", "--trace-ascii", "--stderr", "--libcurl", "--etag-save",
			// These let a URL, or where it leads, be a file.
			"--proto-default", "--proto-redir",
			"--hsts", "--alt-svc", "--engine", "--preproxy", "--socks4", "--socks4a", "--socks5", "--socks5-hostname", "--abstract-unix-socket",
		},
		fine: []string{"--proto"},
	},
	// Builtins of bash that run a word, or load code.
	"bind":      {short: "xf"},
	"compgen":   {short: "CF", valued: "oAGWPSX"},
	"complete":  {short: "CF", valued: "oAGWPSX"},
	"enable":    {short: "f"},
	"fc":        {short: "es"},
	"hash":      {short: "p"},
	"history":   {short: "anrw"},
	"jobs":      {short: "x"},
	"mapfile":   {short: "C", valued: "dnOsuc"},
	"readarray": {short: "C", valued: "dnOsuc"},

	"csplit":  {short: "fb", valued: "n", long: []string{"--prefix", "--suffix-format"}},
	"file":    {short: "C", valued: "efFmP", long: []string{"--compile"}},
	"iconv":   {short: "o", valued: "ft", long: []string{"--output"}},
	"shuf":    {short: "o", valued: "in", long: []string{"--output"}},
	"split":   {long: []string{"--filter", "--additional-suffix"}},
	"tree":    {short: "oR", valued: "LPIHT", long: []string{"--output"}},
	"env":     {short: "SC", valued: "u", long: []string{"--split-string", "--chdir"}},
	"fd":      {short: "xX", valued: "eEtdcj", long: []string{"--exec", "--exec-batch"}},
	"find":    {exact: []string{"-delete", "-fls", "-fprint", "-fprint0", "-fprintf"}},
	"gawk":    awkGuard,
	"git":     {},
	"install": copyGuard,
	"ln":      copyGuard,
	"mv":      copyGuard,
	"go": {flags: []string{
		"exec", "toolexec", "vettool", "overlay", "modfile", "o", "C", "w", "outputdir", "trace", "profile",
		"gccgoflags", "compiler", "fuzzcachedir", "test.fuzzcachedir", "test.outputdir", "test.trace",
		"test.gocoverdir", "pkgdir",
	}},
	"gofmt": {flags: []string{"w", "cpuprofile"}},
	"jq":    {short: "fL", long: []string{"--from-file", "--library-path"}},
	"less": {
		short: "oOk", long: []string{"--log-file", "--LOG-FILE", "--lesskey-file", "--lesskey-src", "--lesskey-content"},
	},
	"man":    {short: "PHC", long: []string{"--pager", "--html", "--config-file"}},
	"mawk":   awkGuard,
	"nawk":   awkGuard,
	"printf": {},
	"rg":     {short: "z", valued: "ABCEMTdefgjmrt", long: []string{"--pre", "--hostname-bin", "--search-zip"}, fine: []string{"--pre-glob"}},
	"sed":    {short: "if", valued: "el", long: []string{"--in-place", "--file"}},
	"sort":   {short: "o", valued: "ktST", long: []string{"--output", "--compress-program", "--files0-from"}},
	"tar": {
		short: "IF",
		long: []string{
			"--to-command", "--use-compress-program", "--checkpoint-action", "--info-script", "--new-volume-script",
			"--rmt-command", "--rsh-command",
		},
	},
	"test": {exact: []string{"-v", "-R"}},
	"[":    {exact: []string{"-v", "-R"}},
	"wget": {
		short: "OoPiea", valued: "TtUwQ",
		long: []string{
			"--output-document", "--output-file", "--directory-prefix", "--input-file", "--execute",
			"--append-output", "--save-cookies", "--rejected-log", "--warc-file", "--hsts-file", "--use-askpass",
		},
	},
}

// copyGuard holds what makes a copy write names that no operand says.
var copyGuard = optionGuard{short: "bS", valued: "tgmo", long: []string{"--backup", "--suffix"}}

// awkGuard holds what all awks have, and what gawk writes files with.
var awkGuard = optionGuard{
	short: "filEedDop", valued: "Fv",
	long: []string{
		"--file", "--include", "--load", "--source", "--exec", "--dump-variables", "--debug", "--pretty-print", "--profile",
	},
}
