package permission

// filePrograms are programs that write, copy, pack or fetch files.
var filePrograms = []facts{
	{names: "bunzip2 gunzip lz4 unxz unzstd xz", writes: compressed},
	{names: "bzip2 gzip", onlyFiles: true, options: &riskyOptions{}, writes: compressed},
	{names: "chgrp chmod", noContent: true, writes: afterMode, changesBelow: isRecursive},
	{names: "chown", noContent: true, writes: afterOwner, changesBelow: isRecursive},
	{
		names: "cp", options: &riskyOptions{short: "bS", valued: "tgmo", long: list("--backup --suffix")}, searches: always, writes: lastOperand,
		saysWrites: true, onlyFiles: true, copies: true, targetOption: true, hardLinks: asksForHardLinks, trees: copiedByOption,
	},
	{names: "csplit", options: &riskyOptions{short: "fb", valued: "n", long: list("--prefix --suffix-format")}, writes: numberedPieces},
	{
		names: "curl",
		options: &riskyOptions{short: "oOKTxDc:", valued: "AbdeEFHmPQrtuUwXyYz", long: list("--output --output-dir --remote-name --remote-name-all --config --variable --upload-file --proxy --next --connect-to " +
			"--resolve --unix-socket --dump-header --cookie-jar --trace --trace-ascii --stderr --libcurl --etag-save " +
			"--proto-default --proto-redir --hsts --alt-svc --engine --preproxy --socks4 --socks4a --socks5 --socks5-hostname " +
			"--abstract-unix-socket"), fine: list("--proto")},
		risks: transferRisks, interprets: everyWord, contents: shown, output: &outputOption{short: "o", long: list("--output")},
	},
	{names: "date", options: &riskyOptions{short: "s", valued: "dfrI", long: list("--set")}, interprets: everyWord, reads: isDateReader},
	{names: "dd", interprets: everyWord, writes: afterOf},
	{names: "diff3", options: &riskyOptions{long: list("--diff-program")}},
	{
		names: "install", options: &riskyOptions{short: "bS", valued: "tgmo", long: list("--backup --suffix")}, onlyFiles: true, writes: lastOperand, copies: true,
		targetOption: true, replaces: true, allTargets: makesDirectories,
	},
	{names: "link", writes: allOperands, copies: true, hardLinks: always},
	{
		names: "ln", options: &riskyOptions{short: "bS", valued: "tgmo", long: list("--backup --suffix")}, onlyFiles: true, writes: lastOperand, copies: true,
		targetOption: true, replaces: true, hardLinks: unlessSymbolic, intoFolder: true, trees: allWords,
	},
	{names: "mkdir rmdir touch", noContent: true, writes: allOperands, saysWrites: true},
	{names: "mkfifo mknod shred truncate", noContent: true, writes: allOperands},
	{names: "mktemp", onlyFiles: true, options: &riskyOptions{short: "p", long: list("--tmpdir")}, writes: allOperands},
	{
		names: "mv", options: &riskyOptions{short: "bS", valued: "tgmo", long: list("--backup --suffix")}, writes: allOperands, saysWrites: true,
		onlyFiles: true, copies: true, targetOption: true, replaces: true, trees: allWords, changesBelow: always,
	},
	{
		names:   "patch",
		options: &riskyOptions{short: "odriBzY", valued: "DFgpV", long: list("--output --directory --reject-file --input --prefix --basename-prefix --suffix")},
		writes:  unpacks, brings: unpacksFiles,
	},
	{names: "rm", noContent: true, writes: allOperands, saysWrites: true, replaces: true, changesBelow: always},
	{
		names: "rsync",
		options: &riskyOptions{short: "eTM", valued: "fB", long: list("--rsh --log-file --write-batch --only-write-batch --rsync-path --backup-dir --partial-dir --temp-dir --config " +
			"--daemon --remote-option --early-input --dparam")},
		searches: always, writes: lastOperand, copies: true, replaces: true, trees: allWords,
	},
	{names: "scp", options: &riskyOptions{short: "SoFJD", valued: "cilPX"}, contents: shown, writes: lastOperand, trees: allWords},
	{
		names: "sdiff", options: &riskyOptions{short: "o", valued: "wI", long: list("--output --diff-program")},
		output: &outputOption{short: "o", long: list("--output")},
	},
	{names: "split", options: &riskyOptions{long: list("--filter --additional-suffix")}, writes: prefixOnward},
	{names: "sponge", writes: allOperands},
	{names: "ssh-keygen", options: &riskyOptions{short: "DfSw"}},
	{
		names: "tar",
		options: &riskyOptions{short: "IFgC", long: list("--directory --listed-incremental --index-file --remove-files --files-from --to-command --use-compress-program " +
			"--checkpoint-action --info-script --new-volume-script --rmt-command --rsh-command"), files: list("-C --directory --remove-files")},
		risks: tarRisks, interprets: firstWord, contents: shown, searches: always, writes: byTar, brings: tarExtracts,
	},
	{names: "tee", contents: shown, writes: allOperands, saysWrites: true},
	{names: "uniq", reads: always, filter: &filter{"cdiuwfsz", 0}, writes: secondOnward},
	{names: "unlink", noContent: true, writes: allOperands, replaces: true},
	{names: "unzip", options: &riskyOptions{short: "d", valued: "P"}, writes: unpacks, brings: unpacksFiles},
	{
		names: "wget",
		options: &riskyOptions{short: "OoPiea", valued: "TtUwQ", long: list("--output-document --output-file --directory-prefix --input-file --execute --append-output --config --save-cookies " +
			"--rejected-log --warc-file --hsts-file --use-askpass")},
		risks: transferRisks, interprets: everyWord, contents: shown, writes: unpacks,
	},
	{names: "xxd", contents: shown, writes: secondOnward},
	{names: "yq", options: &riskyOptions{short: "is", long: list("--inplace --split-exp --from-file")}},
	{
		names:    "zip",
		options:  &riskyOptions{short: "OmbTU", long: list("--unzip-command --output-file --out --move --temp-path --test --copy-entries --latest-time")},
		contents: shown, searches: always, writes: firstOnly,
	},
	{names: "zstd", options: &riskyOptions{short: "o", long: list("--output-dir-flat --output-dir-mirror")}, writes: compressed},
}
