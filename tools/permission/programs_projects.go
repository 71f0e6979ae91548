package permission

// projectPrograms are compilers, test runners, package managers and services.
var projectPrograms = []facts{
	{
		names: "ant cmake dotnet flutter grunt gulp invoke just lein meson mix mocha ninja nox pre-commit prettier rake ruff sbt " +
			"scons swift task tox tsc turbo vite webpack",
		readsFolder: true,
	},
	{names: "apt", wide: &wideRule{"apt install and apt remove", "apt list *"}},
	{names: "aws", synonyms: [][]string{{"rm", "rb"}}, wide: &wideRule{"aws s3 rm, and whatever the account may do,", "aws s3 ls *"}},
	{
		names: "bazel", readsFolder: true,
		options: &riskyOptions{long: list("--run_under --bazelrc --script_path --output_base --output_user_root --sandbox_writable_path")},
	},
	{names: "brew", synonyms: [][]string{{"uninstall", "remove", "rm"}, {"install", "reinstall"}}},
	{names: "bun deno", readsFolder: true, anything: interpreter, opens: givesCode},
	{names: "bundle", readsFolder: true, wide: &wideRule{"bundle exec of any program", "bundle check"}},
	{
		names: "cargo", readsFolder: true,
		options:  &riskyOptions{short: "CZ", long: list("--config --manifest-path --target-dir --artifact-dir --out-dir --root --path")},
		synonyms: [][]string{{"build", "b"}, {"check", "c"}, {"test", "t"}, {"run", "r"}, {"doc", "d"}, {"remove", "rm"}},
		wide:     &wideRule{"cargo install and cargo run", "cargo test *"},
	},
	{
		names:   "cc clang g++ gcc",
		risks:   responseRisks,
		options: &riskyOptions{short: "o", valued: "DILOWflmx", exact: list("-wrapper -specs --specs -fplugin -B -dumpdir")},
		output:  &outputOption{short: "o"},
	},
	{names: "composer", readsFolder: true, wide: &wideRule{"composer exec and composer require", "composer show *"}},
	{names: "docker podman", readsFolder: true, synonyms: dockerSynonyms, anything: runner, opens: startsContainer},
	{
		names: "eslint", readsFolder: true,
		options: &riskyOptions{short: "co", long: list("--config --rulesdir --resolve-plugins-relative-to --plugin --parser --output-file --format")},
	},
	{names: "gcloud", wide: &wideRule{"gcloud compute ssh, and whatever the account may do,", "gcloud config list"}},
	{
		names: "gh", runsGit: true, options: &riskyOptions{short: "XfF", valued: "RtqH", long: list("--method --field --raw-field --input")},
		synonyms: [][]string{{"create", "new"}, {"delete", "remove"}, {"list", "ls"}},
		wide:     &wideRule{"gh pr merge, gh repo delete and gh extension exec", "gh pr view *"},
	},
	{
		names: "git", runsGit: true, noContent: true, risks: gitRisks, reads: isGitReader, contents: hidden, writes: byGit, trees: movedByGit, changesBelow: always,
		brings: gitBrings,
	},
	{
		names: "gmake", readsFolder: true,
		options: &riskyOptions{short: "fCEI", valued: "jloW", long: list("--eval --file --makefile --directory --include-dir")}, risks: makeRisks,
	},
	{
		names: "go", readsFolder: true, runsGit: true,
		options: &riskyOptions{flags: list("exec toolexec vettool overlay modfile o C w outputdir trace profile gccgoflags compiler fuzzcachedir " +
			"test.fuzzcachedir test.outputdir test.trace test.gocoverdir pkgdir")},
		risks: goRisks, reads: isGoReader, contents: hidden,
		output: &outputOption{flags: list("o coverprofile cpuprofile memprofile blockprofile mutexprofile trace")},
		wide:   &wideRule{"go run, go generate and go install", "go test *"},
	},
	{names: "golangci-lint", options: &riskyOptions{short: "c", long: list("--config --out-format --output")}},
	{
		names: "gradle", readsFolder: true,
		options: &riskyOptions{short: "Ibcpg", valued: "DPx", long: list("--init-script --build-file --settings-file --project-dir --gradle-user-home --include-build")},
		wide:    &wideRule{"every task of the build", "gradle test *"},
	},
	{
		names: "gradlew", readsFolder: true,
		options: &riskyOptions{short: "Ibcpg", valued: "DPx", long: list("--init-script --build-file --settings-file --project-dir --gradle-user-home --include-build")},
	},
	{
		names: "helm", readsFolder: true, options: &riskyOptions{long: list("--post-renderer --kubeconfig --plugins-dir")},
		synonyms: [][]string{{"uninstall", "delete", "del", "un"}, {"install", "upgrade --install"}},
		wide:     &wideRule{"helm upgrade and helm uninstall", "helm list *"},
	},
	{
		names: "jest", readsFolder: true,
		options: &riskyOptions{short: "c", long: list("--config --rootDir --globalSetup --globalTeardown --setupFiles --testRunner --runner --reporters --transform " +
			"--outputFile --coverageDirectory --env --testEnvironment --resolver")},
	},
	{
		names: "kubectl", options: &riskyOptions{long: list("--kubeconfig --cache-dir --raw")},
		wide: &wideRule{"kubectl exec, kubectl apply and kubectl delete", "kubectl get *"},
	},
	{
		names: "make", readsFolder: true,
		options: &riskyOptions{short: "fCEI", valued: "jloW", long: list("--eval --file --makefile --directory --include-dir")}, risks: makeRisks,
		interprets: everyWord, wide: &wideRule{"every target of a Makefile, and its variables,", "make test"},
	},
	{
		names: "mvn", readsFolder: true,
		options: &riskyOptions{short: "fsgt", valued: "DPp", long: list("--file --settings --global-settings --toolchains")},
		wide:    &wideRule{"mvn exec:exec and every other goal", "mvn test *"},
	},
	{
		names: "mypy",
		options: &riskyOptions{long: list("--config-file --python-executable --cache-dir --junit-xml --any-exprs-report --html-report --xml-report --txt-report " +
			"--custom-typeshed-dir")},
	},
	{
		names: "npm", readsFolder: true,
		options: &riskyOptions{short: "C", valued: "w", long: list("--prefix --script-shell --node-options --userconfig --globalconfig --dir --shell --call --cache --location --git " +
			"--shell-auto-fallback")},
		synonyms: npmSynonyms, wide: &wideRule{"npm exec and npm install of any package", "npm test *"},
	},
	{
		names: "npx", readsFolder: true,
		options: &riskyOptions{short: "C", valued: "w", long: list("--prefix --script-shell --node-options --userconfig --globalconfig --dir --shell --call --cache --location --git " +
			"--shell-auto-fallback")},
		anything: runner,
	},
	{
		names: "phpunit", readsFolder: true,
		options: &riskyOptions{short: "c", long: list("--bootstrap --configuration --include-path --printer --loader --log-junit --coverage-php --coverage-html")},
	},
	{names: "pip", wide: &wideRule{"pip install of any package, whose setup runs,", "pip list *"}},
	{
		names: "pnpm", readsFolder: true,
		options: &riskyOptions{short: "C", valued: "w", long: list("--prefix --script-shell --node-options --userconfig --globalconfig --dir --shell --call --cache --location --git " +
			"--shell-auto-fallback")},
		synonyms: npmSynonyms, wide: &wideRule{"pnpm dlx and pnpm add of any package", "pnpm test *"},
	},
	{names: "poetry", readsFolder: true, wide: &wideRule{"poetry run of any program", "poetry check"}},
	{names: "pylint", options: &riskyOptions{long: list("--init-hook --rcfile --load-plugins --output")}},
	{
		names: "pytest", readsFolder: true,
		options: &riskyOptions{short: "cpo", valued: "kmnr", long: list("--basetemp --rootdir --confcutdir --override-ini --config-file --import-mode --junitxml --junit-xml --log-file " +
			"--pastebin --debug --pdbcls")},
		output: &outputOption{long: list("--junitxml --junit-xml")},
	},
	{names: "rspec", readsFolder: true, options: &riskyOptions{short: "roI", long: list("--require --options --out --format")}},
	{
		names: "sqlite3", options: &riskyOptions{exact: list("-cmd --cmd -init --init -A")}, risks: sqlRisks, interprets: everyWord, runsInput: true,
	},
	{
		names: "terraform", readsFolder: true,
		options:  &riskyOptions{flags: list("out chdir backup state state-out plugin-dir generate-config-out")},
		synonyms: [][]string{{"apply", "destroy"}}, wide: &wideRule{"terraform apply and terraform destroy", "terraform plan *"},
	},
	{names: "uv", readsFolder: true, wide: &wideRule{"uv run of any program", "uv pip list"}},
	{
		names: "vitest", readsFolder: true,
		options: &riskyOptions{short: "cr", long: list("--config --root --dir --globals --reporter --outputFile --environment")},
	},
	{
		names: "yarn", readsFolder: true, options: &riskyOptions{long: list("--cwd --script-shell --use-yarnrc --modules-folder --prefix")},
		wide: &wideRule{"yarn dlx and yarn add of any package", "yarn test *"},
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
