package program

// projectPrograms are compilers, test runners, package managers and services.
var projectPrograms = []Facts{
	{
		Names: "ant cmake dotnet flutter grunt gulp invoke just lein meson mix mocha ninja nox pre-commit rake sbt " +
			"scons swift task tox turbo vite webpack", Runner: &Runner{Endings: anyCode}, Wide: &WideRule{Does: "every task of %s, which files of the workspace say", Narrower: "%s test", RunsFiles: true},
		ReadsFolder: true, Tasks: true,
	},
	{Names: "apt", Wide: &WideRule{Does: "apt install and apt remove", Narrower: "apt list *"}},
	{Names: "ava ctest cypress karma playwright", Runner: &Runner{Endings: anyCode}},
	{Names: "aws", Synonyms: [][]string{{"rm", "rb"}}, Wide: &WideRule{Does: "aws s3 rm, and whatever the account may do,", Narrower: "aws s3 ls *"}},
	{
		Names: "bazel", Runner: &Runner{Words: "build coverage run test", Endings: anyCode}, Wide: &WideRule{Does: "bazel run of every target", Narrower: "bazel test //...", RunsFiles: true}, ReadsFolder: true,
		Options: &RiskyOptions{Long: "--run_under --bazelrc --script_path --output_base --output_user_root --sandbox_writable_path"},
	},
	{Names: "brew", Synonyms: [][]string{{"uninstall", "remove", "rm"}, {"install", "reinstall"}}},
	{Names: "bun deno", Runner: &Runner{Words: "bench install run start task test x", Endings: jsEndings}, ReadsFolder: true, Wide: &WideRule{Does: "%s eval CODE", Narrower: "%s test *"}, Opens: givesCode},
	{Names: "bundle", ReadsFolder: true, Shortens: true, Carries: []string{"exec", "e"}, Wide: &WideRule{Does: "bundle exec of any program", Narrower: "bundle check"}},
	{
		Names: "cargo", Runner: &Runner{Words: "b bench build c check r run t test", Endings: rustEndings}, ReadsFolder: true,
		Options:  &RiskyOptions{Short: "CZ", Long: "--config --manifest-path --target-dir --artifact-dir --out-dir --root --path"},
		Synonyms: [][]string{{"build", "b"}, {"check", "c"}, {"test", "t"}, {"run", "r"}, {"doc", "d"}, {"remove", "rm"}},
		Aliases:  true, Commands: cargoCommands,
		Wide: &WideRule{Does: "cargo install and cargo run", Narrower: "cargo test *"},
	},
	{
		Names:   "cc clang g++ gcc",
		Risks:   compilerRisks,
		Options: &RiskyOptions{Short: "o", Valued: "DILOWflmx", Exact: "-wrapper -specs --specs -dumpdir --output"},
		Output:  &OutputOption{Short: "o"},
	},
	{Names: "composer", Runner: &Runner{Words: "exec install run run-script test update", Endings: ".php .json"}, ReadsFolder: true, Shortens: true, Wide: &WideRule{Does: "composer exec and composer require", Narrower: "composer show *"}},
	{
		Names: "coverage", Runner: &Runner{Words: "run", Endings: pythonEndings}, Wide: &WideRule{Does: "coverage run FILE, any script", Narrower: "coverage report *", RunsFiles: true}, ReadsFolder: true,
		Options: &RiskyOptions{Short: "od", Long: "--rcfile --directory --data-file --output-file"},
	},
	{Names: "docker podman", ReadsFolder: true, Synonyms: dockerSynonyms, Wide: &WideRule{Does: "%s run -v /:/x IMAGE COMMAND, which has the whole machine,", Narrower: "%s ps *"}, Opens: startsContainer},
	{
		Names: "eslint", Wide: &WideRule{Does: "the plugins that files of the workspace name", Narrower: "eslint src/*", RunsFiles: true}, ReadsFolder: true,
		Options: &RiskyOptions{Short: "cof", Long: "--config --rulesdir --resolve-plugins-relative-to --plugin --parser --output-file --format " +
			"--cache-file --cache-location --init", Fine: "--cache"},
	},
	{
		Names: "flake8", Wide: &WideRule{Does: "the plugins that files of the workspace name", Narrower: "flake8 src/*", RunsFiles: true}, ReadsFolder: true,
		Options: &RiskyOptions{Long: "--config --append-config --output-file"},
	},
	{Names: "gcloud", Wide: &WideRule{Does: "gcloud compute ssh, and whatever the account may do,", Narrower: "gcloud config list"}},
	{Names: "gem", Shortens: true, Wide: &WideRule{Does: "gem install of any package, whose setup runs,", Narrower: "gem list *"}},
	{
		Names: "gh", RunsGit: true, Options: &RiskyOptions{Short: "XfF", Valued: "RtqH", Long: "--method --field --raw-field --input"},
		Synonyms: [][]string{{"create", "new"}, {"delete", "remove"}, {"list", "ls"}},
		Aliases:  true, Commands: ghCommands,
		Wide: &WideRule{Does: "gh pr merge, gh repo delete and gh extension exec", Narrower: "gh pr view *"},
	},
	{
		Names: "git", RunsGit: true, NoContent: true, Risks: gitRisks, Reads: isGitReader, Contents: Hidden, Writes: gitWrites, InFolder: true, Trees: movedByGit, ChangesBelow: always,
		Brings: gitBrings,
	},
	{
		Names: "gmake make", Runner: &Runner{Endings: anyCode}, ReadsFolder: true, Tasks: true,
		Options: &RiskyOptions{Short: "fCEI", Valued: "jloW", Long: "--eval --file --makefile --directory --include-dir"}, Risks: makeRisks,
		Interprets: everyWord, Wide: &WideRule{Does: "every target of a Makefile, and its variables,", Narrower: "%s test"},
	},
	{
		Names: "go", Runner: &Runner{Words: "generate run test", Endings: goEndings}, ReadsFolder: true, RunsGit: true,
		Options: &RiskyOptions{Flags: "exec toolexec vettool overlay modfile o C w outputdir trace profile gccgoflags compiler fuzzcachedir " +
			"test.fuzzcachedir test.outputdir test.trace test.gocoverdir gocoverdir pkgdir"},
		Risks: goRisks, Reads: isGoReader, Contents: Hidden,
		Output: &OutputOption{Flags: "o coverprofile cpuprofile memprofile blockprofile mutexprofile trace"},
		Wide:   &WideRule{Does: "go run, go generate and go install", Narrower: "go test *"},
	},
	{
		Names: "golangci-lint", Options: &RiskyOptions{Short: "c", Files: "--fix", Long: "--config --out-format --output --output.text.path --output.json.path " +
			"--output.tab.path --output.html.path --output.checkstyle.path --output.code-climate.path --output.junit-xml.path --output.teamcity.path " +
			"--output.sarif.path --cpu-profile-path --mem-profile-path --trace-path --fix"},
	},
	{
		Names: "gradle gradlew", Runner: &Runner{Endings: anyCode}, ReadsFolder: true,
		Options: &RiskyOptions{Short: "Ibcpg", Valued: "DPx", Long: "--init-script --build-file --settings-file --project-dir --gradle-user-home --include-build"},
		Wide:    &WideRule{Does: "every task of the build", Narrower: "%s test *"}, Shortens: true, Tasks: true,
	},
	{
		Names: "helm", ReadsFolder: true, Options: &RiskyOptions{Long: "--post-renderer --kubeconfig --plugins-dir"},
		Synonyms: [][]string{{"uninstall", "delete", "del", "un"}, {"install", "upgrade --install"}},
		Wide:     &WideRule{Does: "helm upgrade and helm uninstall", Narrower: "helm list *"},
	},
	{
		Names: "hg", RunsGit: true, Shortens: true, Options: &RiskyOptions{Short: "R", Long: "--config --config-file --repository --cwd --tool --ssh --remotecmd"},
		Wide: &WideRule{Does: "extensions and hooks of its configuration", Narrower: "hg status *"},
	},
	{Names: "ip nmcli", Wide: &WideRule{Does: "ip netns exec NAME COMMAND", Narrower: "ip addr show"}, Shortens: true},
	{
		Names: "jest", Runner: &Runner{Endings: jsEndings}, Wide: &WideRule{Does: "every test that is named, and what the folder is set up with,", Narrower: "jest tests/*", RunsFiles: true}, ReadsFolder: true,
		Options: &RiskyOptions{Short: "c", Long: "--config --rootDir --globalSetup --globalTeardown --setupFiles --testRunner --runner --reporters --transform " +
			"--outputFile --coverageDirectory --env --testEnvironment --resolver --filter --setupFilesAfterEnv --preset --projects --testSequencer " +
			"--testResultsProcessor --snapshotSerializers --watchPlugins --dependencyExtractor --prettierPath --moduleNameMapper --haste --cacheDirectory", Fine: "--coverage"},
	},
	{
		Names: "kubectl", Synonyms: kubectlSynonyms, Options: &RiskyOptions{Short: "s", Valued: "fklLno", Long: "--kubeconfig --cache-dir --raw --server --profile-output --log-file --log-dir"},
		Wide: &WideRule{Does: "kubectl exec, kubectl apply and kubectl delete", Narrower: "kubectl get *"},
	},
	{
		Names: "mvn mvnw", Runner: &Runner{Endings: anyCode}, ReadsFolder: true, Tasks: true,
		Options: &RiskyOptions{Short: "fsgt", Valued: "DPp", Long: "--file --settings --global-settings --toolchains"},
		Wide:    &WideRule{Does: "mvn exec:exec and every other goal", Narrower: "mvn test *"},
	},
	{
		Names: "mypy",
		Options: &RiskyOptions{Long: "--config-file --python-executable --cache-dir --junit-xml --any-exprs-report --html-report --xml-report --txt-report " +
			"--custom-typeshed-dir --install-types"},
		Risks: responseRisks,
	},
	{Names: "nose2 unittest", Runner: &Runner{Endings: pythonEndings}},
	{
		Names: "npm", Runner: &Runner{Words: "ci i install run run-script start t test", Endings: jsEndings}, ReadsFolder: true,
		Options:  npmOptions(),
		Synonyms: npmSynonyms, Shortens: true, Commands: npmCommands, Carries: []string{"exec", "x"}, Wide: &WideRule{Does: "npm exec and npm install of any package", Narrower: "npm test *"},
	},
	{
		Names: "npx", ReadsFolder: true,
		Options: npmOptions(),
		Wide:    &WideRule{Does: "npx of any package", Narrower: "npx tsc *"}, Carries: []string{""},
	},
	{
		Names: "phpunit", Runner: &Runner{Endings: ".php .xml"}, Wide: &WideRule{Does: "every test that is named, and what the folder is set up with,", Narrower: "phpunit tests/*", RunsFiles: true}, ReadsFolder: true,
		Options: &RiskyOptions{Short: "c", Long: "--bootstrap --configuration --include-path --printer --loader --log-junit --coverage-php --coverage-html"},
	},
	{Names: "pip", Options: &RiskyOptions{Long: "--log --python --target --prefix --root --report --cache-dir", Fine: "--pre --require"}, Wide: &WideRule{Does: "pip install of any package, whose setup runs,", Narrower: "pip list *"}},
	{Names: "pipenv poetry", ReadsFolder: true, Carries: []string{"run"}, Wide: &WideRule{Does: "%s run of any program", Narrower: "%s check"}},
	{
		Names: "pnpm", Runner: &Runner{Endings: jsEndings}, ReadsFolder: true,
		Options: npmOptions(), Risks: pnpmRisks,
		Synonyms: npmSynonyms, Carries: []string{"exec", "dlx"}, Wide: &WideRule{Does: "pnpm dlx and pnpm add of any package", Narrower: "pnpm test *"},
	},
	{
		Names: "prettier ruff tsc", Wide: &WideRule{Does: "every task of %s, which files of the workspace say", Narrower: "%s test", RunsFiles: true},
		ReadsFolder: true, Tasks: true,
	},
	{Names: "pylint", Options: &RiskyOptions{Short: "f", Valued: "jdesr", Long: "--init-hook --rcfile --load-plugins --output --output-format"}},
	{
		Names: "pytest", Runner: &Runner{Endings: pythonEndings}, Wide: &WideRule{Does: "every test that is named, and what the folder is set up with,", Narrower: "pytest tests/*", RunsFiles: true}, ReadsFolder: true,
		Options: &RiskyOptions{Short: "cpo", Valued: "kmnr", Long: "--basetemp --rootdir --confcutdir --override-ini --config-file --import-mode --junitxml --junit-xml --log-file " +
			"--pastebin --debug --pdbcls"},
		Output: &OutputOption{Long: "--junitxml --junit-xml"},
	},
	{Names: "rspec", Runner: &Runner{Endings: ".rb .rspec"}, Wide: &WideRule{Does: "every test that is named, and what the folder is set up with,", Narrower: "rspec spec/*", RunsFiles: true}, ReadsFolder: true, Options: &RiskyOptions{Short: "roI", Long: "--require --options --out --format"}},
	{
		Names: "sqlite3", Wide: &WideRule{Does: "sqlite3 of any database", Narrower: "sqlite3 data.db *", RunsFiles: true}, Options: &RiskyOptions{Exact: "-cmd --cmd -init --init -A"}, Risks: sqlRisks, Interprets: everyWord, RunsInput: true,
	},
	{
		Names: "terraform", ReadsFolder: true,
		Options:  &RiskyOptions{Flags: "out chdir backup state state-out plugin-dir generate-config-out"},
		Synonyms: [][]string{{"apply", "destroy"}}, Wide: &WideRule{Does: "terraform apply and terraform destroy", Narrower: "terraform plan *"},
	},
	{Names: "uv", ReadsFolder: true, Carries: []string{"run"}, Wide: &WideRule{Does: "uv run of any program", Narrower: "uv pip list"}},
	{
		Names: "vitest", Runner: &Runner{Endings: jsEndings}, Wide: &WideRule{Does: "every test that is named, and what the folder is set up with,", Narrower: "vitest run tests/*", RunsFiles: true}, ReadsFolder: true,
		Options: &RiskyOptions{Short: "cr", Long: "--config --root --dir --reporter --outputFile --environment --globalSetup --runner --typecheck.checker " +
			"--sequence.sequencer --browser.provider --coverage.reportsDirectory --coverage.customProviderModule --attachmentsDir", Fine: "--coverage --browser"},
	},
	{
		Names: "yarn", Runner: &Runner{Endings: jsEndings}, ReadsFolder: true, Carries: []string{"exec", "dlx"}, Options: &RiskyOptions{Long: "--cwd --script-shell --use-yarnrc --modules-folder --prefix"},
		Wide: &WideRule{Does: "yarn dlx and yarn add of any package", Narrower: "yarn test *"},
	},
}

func npmOptions() *RiskyOptions {
	return &RiskyOptions{Short: "C", Valued: "w", Long: "--prefix --script-shell --node-options --userconfig --globalconfig --dir --shell --call --cache " +
		"--location --git --shell-auto-fallback"}
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

const npmCommands = "access adduser audit bugs cache ci completion config dedupe deprecate diff dist-tag docs doctor edit exec explain explore " +
	"find-dupes fund get help help-search hook init install install-ci-test install-test link ll login logout ls org outdated owner pack ping pkg " +
	"prefix profile prune publish query rebuild repo restart root run run-script sbom search set shrinkwrap star stars start stop team test token " +
	"trust undeprecate uninstall unpublish unstar update version view whoami add i in t tst up rm r un remove x list la ln v show s se info author why " +
	"create innit issues home ddp clean-install ic it cit rum urn c unlink udpate upgrade"

const cargoCommands = "add bench b build c check clean clippy d doc fetch fix fmt generate-lockfile help info init install locate-project login logout " +
	"metadata new owner package pkgid publish r read-manifest remove report rm run rustc rustdoc search t test tree uninstall update vendor " +
	"verify-project version yank audit bloat criterion deny edit expand flamegraph fuzz geiger hack insta llvm-cov machete make miri msrv nextest " +
	"outdated release semver-checks set-version sort sweep tarpaulin udeps watch"

const ghCommands = "accessibility agent-task alias api attestation at auth browse cache codespace cs completion config copilot extension ext extensions gist " +
	"gpg-key help issue label licenses org pr preview project release repo rs ruleset run search secret ssh-key status variable workflow version"

// kubectlSynonyms are the kinds of things that are looked at and changed most.
var kubectlSynonyms = [][]string{
	{"pod", "pods", "po"}, {"deployment", "deployments", "deploy"}, {"service", "services", "svc"}, {"namespace", "namespaces", "ns"},
	{"secret", "secrets"}, {"configmap", "configmaps", "cm"}, {"node", "nodes", "no"}, {"job", "jobs"}, {"statefulset", "statefulsets", "sts"},
	{"daemonset", "daemonsets", "ds"}, {"ingress", "ingresses", "ing"}, {"persistentvolumeclaim", "persistentvolumeclaims", "pvc"},
}

var dockerSynonyms = [][]string{
	{"run", "container run"}, {"exec", "container exec"}, {"rm", "container rm", "container remove"}, {"cp", "container cp"},
	{"kill", "container kill"}, {"stop", "container stop"}, {"start", "container start"}, {"create", "container create"},
	{"ps", "container ps", "container ls", "container list"}, {"commit", "container commit"},
	{"build", "image build", "buildx build", "builder build"}, {"push", "image push"}, {"pull", "image pull"},
	{"rmi", "image rm", "image remove"}, {"save", "image save"}, {"load", "image load"},
}
