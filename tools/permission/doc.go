// Package permission decides what a model's tool call may do.
//
// A [Policy] is built once for a step from the rules that govern it, and asked
// before each call:
//
//	policy, err := permission.New(permission.Config{
//		Root: "/home/me/project",
//		Home: "/home/me",
//		Domains: []permission.Domain{{Name: "review.yaml", Layers: []permission.Rules{{
//			"bash":  {{Pattern: "git log *", Verdict: permission.Allow}},
//			"write": {{Pattern: "docs/**", Verdict: permission.Allow}},
//		}}}},
//	})
//	decision := policy.Decide(permission.Call{
//		Tool:  "bash",
//		Input: []byte(`{"command": "git log -3 > docs/log.txt"}`),
//	})
//	fmt.Println(decision.Verdict, decision.Reason)
//
// The order of rules means nothing: any deny that matches wins, then any ask,
// then any allow, and a bare * is only the fallback. An allow has to be certain,
// a deny only possible. Several domains judge alone and the strictest counts.
// What the engine cannot read, it denies, and no rule can change that
// ([Decision.Never]).
//
// # Limits
//
// The decision is not the act: between the two the file system may change, so
// files are to be opened through [os.Root] and addresses checked again with
// [DialAllowed] where they are dialled. A program that is allowed may do what
// it likes: the engine judges command lines, not programs.
//
// # Where things are
//
// policy.go builds a policy and asks its domains; rules.go puts the layers of a
// domain together. A shell command is taken apart first, into the units of
// unit.go, and then each is judged by bashset.go; held.go has what is judged
// otherwise where commands are held:
//
//	shell.go         what is refused before it is parsed
//	walk.go          the tree: lists, loops, functions; walkwords.go: inside words
//	values.go        variables whose values are known
//	command.go       one simple command, and its readings
//	wrappers.go      programs that run programs; find.go, shellstrings.go
//	separated.go     words that are not known, behind a --
//	cwd.go           where a command runs; folders.go: and what a rule means there
//	redirects.go     files that are opened; operands.go, copies.go: written by name
//	outputs.go       options that name what is written
//	pathwords.go     words that name files; globlinks.go: and globs that do
//	links.go         what the same command copies or links; brought.go: or checks out
//	repository.go    where git may find a config that a model wrote
//
// bashpattern.go compares the patterns of commands, pathset.go judges files,
// urlset.go addresses, toolset.go names of tools, and warning.go the rules
// themselves; protected.go names what no wildcard covers. Below are rooms, of which each
// imports only those before it: internal/pattern compares texts with wildcards,
// internal/address reads URLs and IP addresses, internal/place walks paths as the
// kernel does and knows secret files, internal/word knows what words become, and how
// they are printed, and internal/program is the table of programs.
//
// # Adding a program
//
// It is a row of the table in internal/program, whose package comment says how. Then add
// cases to testdata/shell, where each file is about one construct: the rules of a block,
// and what becomes of commands.
package permission
