package permission

// textPrograms are programs that read files and print.
var textPrograms = []facts{
	{names: "ag", searches: always},
	{
		names:   "awk gawk mawk nawk",
		options: &riskyOptions{short: "filEedDop", valued: "Fv", long: list("--file --include --load --source --exec --dump-variables --debug --pretty-print --profile")},
		risks:   awkRisks, interprets: firstOperand, reads: always,
	},
	{
		names: "base64", options: &riskyOptions{short: "o", long: list("--output")}, reads: always,
		output: &outputOption{short: "o", long: list("--output")},
	},
	{names: "basename dirname seq sleep", textOnly: always, reads: always},
	{names: "bat", options: &riskyOptions{long: list("--pager --config-file --config-dir")}, contents: shown},
	{names: "batcat", options: &riskyOptions{long: list("--pager --config-file --config-dir")}},
	{names: "bc", interprets: everyWord},
	{names: "cat", reads: always, saysWrites: true},
	{
		names: "cksum cmp column comm fold hexdump id md5sum nproc od paste readlink realpath sha1sum sha256sum sha512sum strings " +
			"uname whoami",
		reads: always,
	},
	{names: "cut", reads: always, filter: &filter{"dfcbs", 0}},
	{names: "df stat which", reads: always, contents: hidden},
	{names: "diff egrep fgrep grep", reads: always, searches: always},
	{names: "du", bare: "shckab", reads: always, contents: hidden, searches: always},
	{
		names: "fd", options: &riskyOptions{short: "xX", valued: "eEtdcj", long: list("--exec --exec-batch")}, reads: always, contents: hidden,
		searches: always,
	},
	{names: "file", onlyFiles: true, options: &riskyOptions{short: "C", valued: "efFmP", long: list("--compile")}, reads: always, contents: hidden},
	{
		names: "find", runs: executesFound, options: &riskyOptions{exact: list("-delete -fls -fprint -fprint0 -fprintf"), files: list("-delete")}, reads: always,
		contents: hidden, searches: always,
	},
	{names: "gofmt", bare: "lwds", onlyFiles: true, options: &riskyOptions{flags: list("w cpuprofile"), files: list("-w --w")}, inPlace: list("-w --w")},
	{names: "head tail", reads: always, filter: &filter{"nqcvz", 0}},
	{
		names: "iconv", options: &riskyOptions{short: "o", valued: "ft", long: list("--output")},
		output: &outputOption{short: "o", long: list("--output")},
	},
	{
		names: "jq", options: &riskyOptions{short: "fL", long: list("--from-file --library-path")}, risks: jqRisks, interprets: firstOperand,
		reads: always,
	},
	{
		names: "less", options: &riskyOptions{short: "oOk", long: list("--log-file --LOG-FILE --lesskey-file --lesskey-src --lesskey-content")},
		risks: plusRisks, contents: shown,
	},
	{names: "ls", reads: always, contents: hidden, searches: listsBelow},
	{names: "man", options: &riskyOptions{short: "PHC", long: list("--pager --html --config-file")}},
	{names: "more", contents: shown},
	{names: "nl rev tac", reads: always, filter: &filter{}},
	{names: "ps", risks: psRisks, interprets: everyWord},
	{
		names: "rg", bare: "nilwcvoSsFNHI",
		options: &riskyOptions{short: "zu.f", valued: "ABCEMTdegjmrt", long: list("--pre --hostname-bin --search-zip --hidden --unrestricted --file"), fine: list("--pre-glob")},
		reads:   always, searches: always,
	},
	{
		names: "sed", options: &riskyOptions{short: "if", valued: "el", long: list("--in-place --file"), files: list("-i --in-place")}, inPlace: list("-i --in-place"), risks: sedRisks, interprets: firstOperand, scripts: sedScripts, bare: "niErsuz",
		reads: always,
	},
	{
		names: "shuf", options: &riskyOptions{short: "o", valued: "in", long: list("--output")},
		output: &outputOption{short: "o", long: list("--output")},
	},
	{
		names: "sort", bare: "rnuhfbdgMRV", options: &riskyOptions{short: "o", valued: "ktST", long: list("--output --compress-program --files0-from")}, reads: always,
		filter: &filter{"rnuhfbdgiMRVzkt", 0}, output: &outputOption{short: "o", long: list("--output")},
	},
	{names: "tr", reads: always, filter: &filter{"dscC", 2}},
	{names: "tree", options: &riskyOptions{short: "oR", valued: "LPIHT", long: list("--output")}, searches: always},
	{names: "wc", bare: "lwcmL", counts: true, reads: always, filter: &filter{"lwcmL", 0}},
}
