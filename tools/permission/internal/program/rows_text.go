package program

// textPrograms are programs that read files and print.
var textPrograms = []Facts{
	{Names: "ag", Searches: always},
	{
		Names:   "awk gawk mawk nawk",
		Options: &RiskyOptions{Short: "filEedDop", Valued: "Fv", Long: "--file --include --load --source --exec --dump-variables --debug --pretty-print --profile"},
		Risks:   awkRisks, Interprets: firstOperand, Reads: always,
	},
	{
		Names: "base64", Options: &RiskyOptions{Short: "o", Long: "--output"}, Reads: always,
		Output: &OutputOption{Short: "o", Long: "--output"},
	},
	{Names: "basename dirname seq sleep", TextOnly: always, Reads: always},
	{Names: "bat batcat", Options: &RiskyOptions{Long: "--pager --config-file --config-dir"}, Contents: Shown},
	{Names: "bc", Interprets: everyWord},
	{Names: "cat", Reads: always, SaysWrites: true},
	{
		Names: "cksum cmp column comm fold hexdump id md5sum nproc od paste readlink realpath sha1sum sha256sum sha512sum strings " +
			"uname whoami",
		Reads: always,
	},
	{Names: "cut", Reads: always, Filter: &Filter{"dfcbs", 0}},
	{Names: "df stat which", Reads: always, Contents: Hidden},
	{Names: "diff egrep fgrep grep", Reads: always, Searches: always},
	{Names: "du", Bare: "shckab", Reads: always, Contents: Hidden, Searches: always},
	{
		Names: "fd", Options: &RiskyOptions{Short: "xX", Valued: "eEtdcj", Long: "--exec --exec-batch"}, Reads: always, Contents: Hidden,
		Searches: always,
	},
	{Names: "file", Bare: "bhikLnNprsz", Options: &RiskyOptions{Short: "C", Valued: "efFmP", Long: "--compile"}, Reads: always, Contents: Hidden},
	{
		Names: "find", Runs: ExecutesFound, Options: &RiskyOptions{Exact: "-delete -fls -fprint -fprint0 -fprintf", Files: "-delete"}, Reads: always,
		Contents: Hidden, Searches: always,
	},
	{Names: "gofmt", Bare: "lwds", OnlyFiles: true, Options: &RiskyOptions{Flags: "w cpuprofile", Files: "-w --w"}, InPlace: "-w --w"},
	{
		Names: "gpg gpg2", Options: &RiskyOptions{Short: "o", Valued: "ru", Long: "--output --homedir --options --agent-program --dirmngr-program --photo-viewer " +
			"--exec-path --log-file --status-file --logger-file --attribute-file"},
	},
	{Names: "head tail", Reads: always, Filter: &Filter{"nqcvz", 0}},
	{
		Names: "iconv", Options: &RiskyOptions{Short: "o", Valued: "ft", Long: "--output"},
		Output: &OutputOption{Short: "o", Long: "--output"},
	},
	{
		Names: "jq", Options: &RiskyOptions{Short: "fL", Long: "--from-file --library-path"}, Risks: jqRisks, Interprets: firstOperand,
		Reads: always,
	},
	{
		Names: "less", Options: &RiskyOptions{Short: "oOk", Long: "--log-file --LOG-FILE --lesskey-file --lesskey-src --lesskey-content"},
		Risks: plusRisks, Contents: Shown,
	},
	{Names: "ls", Reads: always, Contents: Hidden, Searches: isRecursive},
	{Names: "man", Options: &RiskyOptions{Short: "PHC", Long: "--pager --html --config-file"}},
	{Names: "more", Contents: Shown},
	{Names: "nl rev tac", Reads: always, Filter: &Filter{}},
	{Names: "openssl", Options: &RiskyOptions{Flags: "engine provider provider-path config out keyout writerand sess_out keylogfile"}},
	{Names: "ps", Risks: psRisks, Interprets: everyWord},
	{
		Names: "rg", Bare: "nilwcvoSsFNHI",
		Options: &RiskyOptions{Short: "zu.f", Valued: "ABCEMTdegjmrt", Long: "--pre --hostname-bin --search-zip --hidden --unrestricted --file", Fine: "--pre-glob"},
		Reads:   always, Searches: always,
	},
	{
		Names: "sed", Options: &RiskyOptions{Short: "if", Valued: "el", Long: "--in-place --file", Files: "-i --in-place"}, InPlace: "-i --in-place", Risks: sedRisks, Interprets: firstOperand, Scripts: sedScripts, Bare: "niErsuz",
		Reads: always,
	},
	{
		Names: "shuf", Options: &RiskyOptions{Short: "o", Valued: "in", Long: "--output"},
		Output: &OutputOption{Short: "o", Long: "--output"},
	},
	{
		Names: "sort", Bare: "rnuhfbdgMRV", Options: &RiskyOptions{Short: "oT", Valued: "ktS", Long: "--output --compress-program --files0-from --temporary-directory"}, Reads: always,
		Filter: &Filter{"rnuhfbdgiMRVzkt", 0}, Output: &OutputOption{Short: "o", Long: "--output"},
	},
	{Names: "tr", Reads: always, Filter: &Filter{"dscC", 2}},
	{Names: "tree", Options: &RiskyOptions{Short: "oR", Valued: "LPIHT", Long: "--output"}, Searches: always},
	{Names: "wc", Bare: "lwcmL", Counts: true, Reads: always, Filter: &Filter{"lwcmL", 0}},
}
