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
	"bat":    {long: []string{"--pager", "--config-file", "--config-dir"}},
	"batcat": {long: []string{"--pager", "--config-file", "--config-dir"}},
	"base64": {short: "o", long: []string{"--output"}},
	"cp":     copyGuard,
	"curl": {
		short: "oOKTxDc:", valued: "AbdeEFHmPQrtuUwXyYz",
		long: []string{
			"--output", "--output-dir", "--remote-name", "--remote-name-all", "--config", "--variable", "--upload-file", "--proxy", "--next",
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
	"rg":     {short: "zu.f", valued: "ABCEMTdegjmrt", long: []string{"--pre", "--hostname-bin", "--search-zip", "--hidden", "--unrestricted", "--file"}, fine: []string{"--pre-glob"}},
	"sed":    {short: "if", valued: "el", long: []string{"--in-place", "--file"}},
	"sort":   {short: "o", valued: "ktST", long: []string{"--output", "--compress-program", "--files0-from"}},
	"tar": {
		short: "IFgC",
		long: []string{
			"--directory", "--listed-incremental", "--index-file", "--remove-files", "--files-from",
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
			"--append-output", "--config", "--save-cookies", "--rejected-log", "--warc-file", "--hsts-file", "--use-askpass",
		},
	},
}

// runnerTable holds the programs that run what a project says, and the options
// that have them run or write something else than that.
var runnerTable = map[string]optionGuard{
	"bazel":         {long: []string{"--run_under", "--bazelrc", "--script_path", "--output_base", "--output_user_root", "--sandbox_writable_path"}},
	"cargo":         {short: "CZ", long: []string{"--config", "--manifest-path", "--target-dir", "--artifact-dir", "--out-dir", "--root", "--path"}},
	"eslint":        {short: "co", long: []string{"--config", "--rulesdir", "--resolve-plugins-relative-to", "--plugin", "--parser", "--output-file", "--format"}},
	"gcc":           compilerGuard,
	"g++":           compilerGuard,
	"cc":            compilerGuard,
	"clang":         compilerGuard,
	"gh":            {short: "XfF", valued: "RtqH", long: []string{"--method", "--field", "--raw-field", "--input"}},
	"golangci-lint": {short: "c", long: []string{"--config", "--out-format", "--output"}},
	"gradle":        gradleGuard,
	"gradlew":       gradleGuard,
	"helm":          {long: []string{"--post-renderer", "--kubeconfig", "--plugins-dir"}},
	"jest":          {short: "c", long: []string{"--config", "--rootDir", "--globalSetup", "--globalTeardown", "--setupFiles", "--testRunner", "--runner", "--reporters", "--transform", "--outputFile", "--coverageDirectory", "--env", "--testEnvironment", "--resolver"}},
	"kubectl":       {long: []string{"--kubeconfig", "--cache-dir", "--raw"}},
	"make":          makeGuard,
	"gmake":         makeGuard,
	"mvn":           {short: "fsgt", valued: "DPp", long: []string{"--file", "--settings", "--global-settings", "--toolchains"}},
	"mypy":          {long: []string{"--config-file", "--python-executable", "--cache-dir", "--junit-xml", "--any-exprs-report", "--html-report", "--xml-report", "--txt-report", "--custom-typeshed-dir"}},
	"npm":           npmGuard,
	"npx":           npmGuard,
	"phpunit":       {short: "c", long: []string{"--bootstrap", "--configuration", "--include-path", "--printer", "--loader", "--log-junit", "--coverage-php", "--coverage-html"}},
	"pnpm":          npmGuard,
	"pylint":        {long: []string{"--init-hook", "--rcfile", "--load-plugins", "--output"}},
	"pytest":        {short: "cpo", valued: "kmnr", long: []string{"--basetemp", "--rootdir", "--confcutdir", "--override-ini", "--config-file", "--import-mode", "--junitxml", "--junit-xml", "--log-file", "--pastebin", "--debug", "--pdbcls"}},
	"rspec":         {short: "roI", long: []string{"--require", "--options", "--out", "--format"}},
	"terraform":     {flags: []string{"out", "chdir", "backup", "state", "state-out", "plugin-dir", "generate-config-out"}},
	"vitest":        {short: "cr", long: []string{"--config", "--root", "--dir", "--globals", "--reporter", "--outputFile", "--environment"}},
	"yarn":          {long: []string{"--cwd", "--script-shell", "--use-yarnrc", "--modules-folder", "--prefix"}},
}

// makeGuard is what has make read another file, or run another shell.
var makeGuard = optionGuard{short: "fCEI", valued: "jloW", long: []string{"--eval", "--file", "--makefile", "--directory", "--include-dir"}}

var npmGuard = optionGuard{
	short: "C", valued: "w",
	long: []string{"--prefix", "--script-shell", "--node-options", "--userconfig", "--globalconfig", "--dir", "--shell", "--call", "--cache", "--location", "--git", "--shell-auto-fallback"},
}

var gradleGuard = optionGuard{short: "Ibcpg", valued: "DPx", long: []string{"--init-script", "--build-file", "--settings-file", "--project-dir", "--gradle-user-home", "--include-build"}}

var compilerGuard = optionGuard{short: "o", valued: "DILOWflmx", exact: []string{"-wrapper", "-specs", "--specs", "-fplugin", "-B", "-dumpdir"}}

// writerTable holds further programs whose options write or run something.
var writerTable = map[string]optionGuard{
	"bzip2":      {},
	"date":       {short: "s", valued: "dfrI", long: []string{"--set"}},
	"diff3":      {long: []string{"--diff-program"}},
	"gzip":       {},
	"mktemp":     {short: "p", long: []string{"--tmpdir"}},
	"patch":      {short: "odriBzY", valued: "DFgpV", long: []string{"--output", "--directory", "--reject-file", "--input", "--prefix", "--basename-prefix", "--suffix"}},
	"rsync":      {short: "eTM", valued: "fB", long: []string{"--rsh", "--log-file", "--write-batch", "--only-write-batch", "--rsync-path", "--backup-dir", "--partial-dir", "--temp-dir", "--config", "--daemon", "--remote-option", "--early-input", "--dparam"}},
	"scp":        {short: "SoFJD", valued: "cilPX"},
	"sdiff":      {short: "o", valued: "wI", long: []string{"--output", "--diff-program"}},
	"ssh-keygen": {short: "DfSw", long: nil},
	"unzip":      {short: "d", valued: "P"},
	"yq":         {short: "is", long: []string{"--inplace", "--split-exp", "--from-file"}},
	"zip":        {short: "OmbTU", long: []string{"--unzip-command", "--output-file", "--out", "--move", "--temp-path", "--test", "--copy-entries", "--latest-time"}},
	"zstd":       {short: "o", long: []string{"--output-dir-flat", "--output-dir-mirror"}},
}

// guardOf returns what of a program's options is guarded.
func guardOf(program string) (g optionGuard, known bool) {
	for _, table := range []map[string]optionGuard{guardTable, runnerTable, writerTable} {
		if g, known = table[program]; known {
			return g, true
		}
	}
	return g, false
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
