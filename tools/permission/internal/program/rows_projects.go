package program

// projectPrograms are compilers, test runners, package managers and services.
var projectPrograms = []Facts{
	{
		Names: "ant cmake dotnet flutter grunt gulp invoke just lein meson mix mocha ninja nox pre-commit prettier rake ruff sbt " +
			"scons swift task tox tsc turbo vite webpack",
		ReadsFolder: true,
	},
	{Names: "apt", Wide: &WideRule{"apt install and apt remove", "apt list *"}},
	{Names: "aws", Synonyms: [][]string{{"rm", "rb"}}, Wide: &WideRule{"aws s3 rm, and whatever the account may do,", "aws s3 ls *"}},
	{
		Names: "bazel", ReadsFolder: true,
		Options: &RiskyOptions{Long: list("--run_under --bazelrc --script_path --output_base --output_user_root --sandbox_writable_path")},
	},
	{Names: "brew", Synonyms: [][]string{{"uninstall", "remove", "rm"}, {"install", "reinstall"}}},
	{Names: "bun deno", ReadsFolder: true, Anything: interpreter, Opens: givesCode},
	{Names: "bundle", ReadsFolder: true, Wide: &WideRule{"bundle exec of any program", "bundle check"}},
	{
		Names: "cargo", ReadsFolder: true,
		Options:  &RiskyOptions{Short: "CZ", Long: list("--config --manifest-path --target-dir --artifact-dir --out-dir --root --path")},
		Synonyms: [][]string{{"build", "b"}, {"check", "c"}, {"test", "t"}, {"run", "r"}, {"doc", "d"}, {"remove", "rm"}},
		Wide:     &WideRule{"cargo install and cargo run", "cargo test *"},
	},
	{
		Names:   "cc clang g++ gcc",
		Risks:   responseRisks,
		Options: &RiskyOptions{Short: "o", Valued: "DILOWflmx", Exact: list("-wrapper -specs --specs -fplugin -B -dumpdir")},
		Output:  &OutputOption{Short: "o"},
	},
	{Names: "composer", ReadsFolder: true, Wide: &WideRule{"composer exec and composer require", "composer show *"}},
	{Names: "docker podman", ReadsFolder: true, Synonyms: dockerSynonyms, Anything: runner, Opens: startsContainer},
	{
		Names: "eslint", ReadsFolder: true,
		Options: &RiskyOptions{Short: "co", Long: list("--config --rulesdir --resolve-plugins-relative-to --plugin --parser --output-file --format")},
	},
	{Names: "gcloud", Wide: &WideRule{"gcloud compute ssh, and whatever the account may do,", "gcloud config list"}},
	{
		Names: "gh", RunsGit: true, Options: &RiskyOptions{Short: "XfF", Valued: "RtqH", Long: list("--method --field --raw-field --input")},
		Synonyms: [][]string{{"create", "new"}, {"delete", "remove"}, {"list", "ls"}},
		Wide:     &WideRule{"gh pr merge, gh repo delete and gh extension exec", "gh pr view *"},
	},
	{
		Names: "git", RunsGit: true, NoContent: true, Risks: gitRisks, Reads: isGitReader, Contents: Hidden, Writes: ByGit, Trees: movedByGit, ChangesBelow: always,
		Brings: gitBrings,
	},
	{
		Names: "gmake", ReadsFolder: true,
		Options: &RiskyOptions{Short: "fCEI", Valued: "jloW", Long: list("--eval --file --makefile --directory --include-dir")}, Risks: makeRisks,
	},
	{
		Names: "go", ReadsFolder: true, RunsGit: true,
		Options: &RiskyOptions{Flags: list("exec toolexec vettool overlay modfile o C w outputdir trace profile gccgoflags compiler fuzzcachedir " +
			"test.fuzzcachedir test.outputdir test.trace test.gocoverdir pkgdir")},
		Risks: goRisks, Reads: isGoReader, Contents: Hidden,
		Output: &OutputOption{Flags: list("o coverprofile cpuprofile memprofile blockprofile mutexprofile trace")},
		Wide:   &WideRule{"go run, go generate and go install", "go test *"},
	},
	{Names: "golangci-lint", Options: &RiskyOptions{Short: "c", Long: list("--config --out-format --output")}},
	{
		Names: "gradle", ReadsFolder: true,
		Options: &RiskyOptions{Short: "Ibcpg", Valued: "DPx", Long: list("--init-script --build-file --settings-file --project-dir --gradle-user-home --include-build")},
		Wide:    &WideRule{"every task of the build", "gradle test *"},
	},
	{
		Names: "gradlew", ReadsFolder: true,
		Options: &RiskyOptions{Short: "Ibcpg", Valued: "DPx", Long: list("--init-script --build-file --settings-file --project-dir --gradle-user-home --include-build")},
	},
	{
		Names: "helm", ReadsFolder: true, Options: &RiskyOptions{Long: list("--post-renderer --kubeconfig --plugins-dir")},
		Synonyms: [][]string{{"uninstall", "delete", "del", "un"}, {"install", "upgrade --install"}},
		Wide:     &WideRule{"helm upgrade and helm uninstall", "helm list *"},
	},
	{
		Names: "jest", ReadsFolder: true,
		Options: &RiskyOptions{Short: "c", Long: list("--config --rootDir --globalSetup --globalTeardown --setupFiles --testRunner --runner --reporters --transform " +
			"--outputFile --coverageDirectory --env --testEnvironment --resolver")},
	},
	{
		Names: "kubectl", Options: &RiskyOptions{Long: list("--kubeconfig --cache-dir --raw")},
		Wide: &WideRule{"kubectl exec, kubectl apply and kubectl delete", "kubectl get *"},
	},
	{
		Names: "make", ReadsFolder: true,
		Options: &RiskyOptions{Short: "fCEI", Valued: "jloW", Long: list("--eval --file --makefile --directory --include-dir")}, Risks: makeRisks,
		Interprets: everyWord, Wide: &WideRule{"every target of a Makefile, and its variables,", "make test"},
	},
	{
		Names: "mvn", ReadsFolder: true,
		Options: &RiskyOptions{Short: "fsgt", Valued: "DPp", Long: list("--file --settings --global-settings --toolchains")},
		Wide:    &WideRule{"mvn exec:exec and every other goal", "mvn test *"},
	},
	{
		Names: "mypy",
		Options: &RiskyOptions{Long: list("--config-file --python-executable --cache-dir --junit-xml --any-exprs-report --html-report --xml-report --txt-report " +
			"--custom-typeshed-dir")},
	},
	{
		Names: "npm", ReadsFolder: true,
		Options: &RiskyOptions{Short: "C", Valued: "w", Long: list("--prefix --script-shell --node-options --userconfig --globalconfig --dir --shell --call --cache --location --git " +
			"--shell-auto-fallback")},
		Synonyms: npmSynonyms, Wide: &WideRule{"npm exec and npm install of any package", "npm test *"},
	},
	{
		Names: "npx", ReadsFolder: true,
		Options: &RiskyOptions{Short: "C", Valued: "w", Long: list("--prefix --script-shell --node-options --userconfig --globalconfig --dir --shell --call --cache --location --git " +
			"--shell-auto-fallback")},
		Anything: runner,
	},
	{
		Names: "phpunit", ReadsFolder: true,
		Options: &RiskyOptions{Short: "c", Long: list("--bootstrap --configuration --include-path --printer --loader --log-junit --coverage-php --coverage-html")},
	},
	{Names: "pip", Wide: &WideRule{"pip install of any package, whose setup runs,", "pip list *"}},
	{
		Names: "pnpm", ReadsFolder: true,
		Options: &RiskyOptions{Short: "C", Valued: "w", Long: list("--prefix --script-shell --node-options --userconfig --globalconfig --dir --shell --call --cache --location --git " +
			"--shell-auto-fallback")},
		Synonyms: npmSynonyms, Wide: &WideRule{"pnpm dlx and pnpm add of any package", "pnpm test *"},
	},
	{Names: "poetry", ReadsFolder: true, Wide: &WideRule{"poetry run of any program", "poetry check"}},
	{Names: "pylint", Options: &RiskyOptions{Long: list("--init-hook --rcfile --load-plugins --output")}},
	{
		Names: "pytest", ReadsFolder: true,
		Options: &RiskyOptions{Short: "cpo", Valued: "kmnr", Long: list("--basetemp --rootdir --confcutdir --override-ini --config-file --import-mode --junitxml --junit-xml --log-file " +
			"--pastebin --debug --pdbcls")},
		Output: &OutputOption{Long: list("--junitxml --junit-xml")},
	},
	{Names: "rspec", ReadsFolder: true, Options: &RiskyOptions{Short: "roI", Long: list("--require --options --out --format")}},
	{
		Names: "sqlite3", Options: &RiskyOptions{Exact: list("-cmd --cmd -init --init -A")}, Risks: sqlRisks, Interprets: everyWord, RunsInput: true,
	},
	{
		Names: "terraform", ReadsFolder: true,
		Options:  &RiskyOptions{Flags: list("out chdir backup state state-out plugin-dir generate-config-out")},
		Synonyms: [][]string{{"apply", "destroy"}}, Wide: &WideRule{"terraform apply and terraform destroy", "terraform plan *"},
	},
	{Names: "uv", ReadsFolder: true, Wide: &WideRule{"uv run of any program", "uv pip list"}},
	{
		Names: "vitest", ReadsFolder: true,
		Options: &RiskyOptions{Short: "cr", Long: list("--config --root --dir --globals --reporter --outputFile --environment")},
	},
	{
		Names: "yarn", ReadsFolder: true, Options: &RiskyOptions{Long: list("--cwd --script-shell --use-yarnrc --modules-folder --prefix")},
		Wide: &WideRule{"yarn dlx and yarn add of any package", "yarn test *"},
	},
}

var npmSynonyms = [][]string{
	{"install", "i", "in", "ins", "inst", "insta", "instal", "isnt", "isnta", "isntal", "isntall", "add"},
	{"ci", "clean-install", "ic", "install-clean", "isntall-clean"},
	{"uninstall", "un", "unlink", "remove", "rm", "r"},
	{"update", "up", "upgrade", "udpate"},
	{"test", "t", "tst", "run test", "run-script test"},
	{"run", "run-script", "rum", "urn"},
	{"exec", "x"}, {"start", "run start"}, {"publish", "stage publish"},
}

var dockerSynonyms = [][]string{
	{"run", "container run"}, {"exec", "container exec"}, {"rm", "container rm", "container remove"}, {"cp", "container cp"},
	{"kill", "container kill"}, {"stop", "container stop"}, {"start", "container start"}, {"create", "container create"},
	{"ps", "container ps", "container ls", "container list"}, {"commit", "container commit"},
	{"build", "image build", "buildx build", "builder build"}, {"push", "image push"}, {"pull", "image pull"},
	{"rmi", "image rm", "image remove"}, {"save", "image save"}, {"load", "image load"},
}
