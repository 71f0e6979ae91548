package program

// filePrograms are programs that write, copy, pack or fetch files.
var filePrograms = []Facts{
	{Names: "ar", Writes: unpacks, InFolder: true},
	{Names: "bunzip2 gunzip lz4 unxz unzstd xz", Writes: compressed},
	{Names: "bzip2 gzip", OnlyFiles: true, Options: &RiskyOptions{}, Writes: compressed},
	{Names: "chgrp chmod", NoContent: true, Writes: afterMode, ChangesBelow: isRecursive},
	{Names: "chown", NoContent: true, Writes: afterOwner, ChangesBelow: isRecursive},
	{
		Names: "cp", Options: &RiskyOptions{Short: "bS", Valued: "tgmo", Long: "--backup --suffix"}, Searches: always, Writes: lastOperand,
		SaysWrites: true, OnlyFiles: true, Copies: true, TargetOption: true, HardLinks: given("l", "l"), Trees: copiedByOption,
	},
	{
		Names: "cpio", Options: &RiskyOptions{Short: "FIO", Valued: "CEHMR", Long: "--file --rsh-command"},
		Contents: Shown, Writes: unpacks, InFolder: true, Brings: unpacksFiles,
	},
	{Names: "csplit", Options: &RiskyOptions{Short: "fb", Valued: "n", Long: "--prefix --suffix-format"}, Writes: numberedPieces},
	{
		Names: "curl",
		Options: &RiskyOptions{Short: "oOKTxDc:", Valued: "AbdeEFHmPQrtuUwXyYz", Long: "--output --output-dir --remote-name --remote-name-all --config --variable --upload-file --proxy --next --connect-to " +
			"--resolve --unix-socket --dump-header --cookie-jar --trace --trace-ascii --stderr --libcurl --etag-save " +
			"--proto-default --proto-redir --hsts --alt-svc --engine --preproxy --socks4 --socks4a --socks5 --socks5-hostname " +
			"--abstract-unix-socket", Fine: "--proto"},
		Risks: transferRisks, Interprets: everyWord, Contents: Shown, Output: &OutputOption{Short: "o", Long: "--output"},
	},
	{Names: "date", Options: &RiskyOptions{Short: "s", Valued: "dfrI", Long: "--set"}, Interprets: everyWord, Reads: isDateReader},
	{Names: "dd", Interprets: everyWord, Writes: afterOf},
	{Names: "diff3", Options: &RiskyOptions{Long: "--diff-program"}},
	{
		Names: "install", Options: &RiskyOptions{Short: "bS", Valued: "tgmo", Long: "--backup --suffix --strip-program", Fine: "--strip"}, Writes: lastOperand, Copies: true,
		TargetOption: true, Replaces: true, AllTargets: given("d", "d"),
	},
	{Names: "link", Writes: allOperands, Copies: true, HardLinks: always},
	{
		Names: "ln", Options: &RiskyOptions{Short: "bS", Valued: "tgmo", Long: "--backup --suffix"}, OnlyFiles: true, Writes: lastOperand, Copies: true,
		TargetOption: true, Replaces: true, HardLinks: unlessSymbolic, IntoFolder: true, Trees: allWords,
	},
	{Names: "mkdir rmdir touch", NoContent: true, Writes: allOperands, SaysWrites: true},
	{Names: "mkfifo mknod shred truncate", NoContent: true, Writes: allOperands},
	{Names: "mktemp", OnlyFiles: true, Options: &RiskyOptions{Short: "p", Long: "--tmpdir"}, Writes: allOperands},
	{
		Names: "mv", Options: &RiskyOptions{Short: "bS", Valued: "tgmo", Long: "--backup --suffix"}, Writes: allOperands, SaysWrites: true,
		OnlyFiles: true, Copies: true, TargetOption: true, Replaces: true, Trees: allWords, ChangesBelow: always,
	},
	{
		Names:   "patch",
		Options: &RiskyOptions{Short: "odriBzY", Valued: "DFgpV", Long: "--output --directory --reject-file --input --prefix --basename-prefix --suffix"},
		Writes:  unpacks, InFolder: true, Brings: unpacksFiles,
	},
	{
		Names: "rclone", Options: &RiskyOptions{Long: "--config --password-command --log-file --temp-dir --cache-dir --backup-dir --rc --metadata-mapper"},
		Contents: Shown, Searches: always, Writes: lastOperand, Copies: true, Replaces: true, Trees: allWords,
		Wide: &WideRule{Does: "rclone delete, rclone serve and every remote,", Narrower: "rclone lsf *"},
	},
	{Names: "rm", NoContent: true, Writes: allOperands, SaysWrites: true, Replaces: true, ChangesBelow: always},
	{
		Names: "rsync",
		Options: &RiskyOptions{Short: "eTM", Valued: "fB", Long: "--rsh --log-file --write-batch --only-write-batch --rsync-path --backup-dir --partial-dir --temp-dir --config " +
			"--daemon --remote-option --early-input --dparam"},
		Searches: always, Writes: lastOperand, Copies: true, Replaces: true, Trees: allWords,
	},
	{Names: "scp", Options: &RiskyOptions{Short: "SoFJD", Valued: "cilPX"}, Contents: Shown, Writes: lastOperand, Trees: allWords},
	{
		Names: "sdiff", Options: &RiskyOptions{Short: "o", Valued: "wI", Long: "--output --diff-program"},
		Output: &OutputOption{Short: "o", Long: "--output"},
	},
	{Names: "split", Options: &RiskyOptions{Long: "--filter --additional-suffix"}, Writes: prefixOnward},
	{Names: "sponge", Writes: allOperands},
	{Names: "ssh-keygen", Options: &RiskyOptions{Short: "DfSw"}},
	{
		Names: "tar",
		Options: &RiskyOptions{Short: "IFgC", Long: "--directory --listed-incremental --index-file --remove-files --files-from --to-command --use-compress-program " +
			"--checkpoint-action --info-script --new-volume-script --rmt-command --rsh-command --volno-file", Files: "-C --directory --remove-files"},
		Risks: tarRisks, Interprets: firstWord, Contents: Shown, Searches: always, Writes: tarWrites, InFolder: true, Brings: tarExtracts,
	},
	{Names: "tee", Contents: Shown, Writes: allOperands, SaysWrites: true},
	{Names: "uniq", Reads: always, Filter: &Filter{"cdiuwfsz", 0}, Writes: secondOnward},
	{Names: "unlink", NoContent: true, Writes: allOperands, Replaces: true},
	{Names: "unzip", Options: &RiskyOptions{Short: "d", Valued: "P"}, Writes: unpacks, InFolder: true, Brings: unpacksFiles},
	{
		Names: "wget",
		Options: &RiskyOptions{Short: "OoPiea", Valued: "TtUwQ", Long: "--output-document --output-file --directory-prefix --input-file --execute --append-output --config --save-cookies " +
			"--rejected-log --warc-file --hsts-file --use-askpass"},
		Risks: transferRisks, Interprets: everyWord, Contents: Shown, Writes: unpacks, InFolder: true,
	},
	{Names: "xxd", Contents: Shown, Writes: secondOnward},
	{Names: "yq", Options: &RiskyOptions{Short: "is", Long: "--inplace --split-exp --from-file"}, Risks: yqRisks},
	{
		Names:    "zip",
		Options:  &RiskyOptions{Short: "OmbTU", Long: "--unzip-command --output-file --out --move --temp-path --test --copy-entries --latest-time"},
		Contents: Shown, Searches: always, Writes: firstOnly,
	},
	{Names: "zstd", Options: &RiskyOptions{Short: "o", Long: "--output-dir-flat --output-dir-mirror"}, Writes: compressed},
}
