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
package permission

// Where things are:
//
// policy.go builds a policy and asks its domains; rules.go merges the layers of a domain.
// shell.go and bashset.go judge the parts of a command; held.go is for commands that run
// held, folders.go for commands outside of the workspace root, and effects.go judges the
// changes of held commands. bashpattern.go matches commands, pathset.go judges files,
// urlset.go addresses, toolset.go names of tools, and warning.go the rules themselves.
// protected.go is about files that are never written.
//
// Each of the packages below imports only those before it:
//
//	internal/pattern  texts and wildcards
//	internal/address  URLs and IP addresses
//	internal/place    paths, resolved as the kernel does; secret files
//	internal/word     how words are expanded and printed
//	internal/program  the table of programs
//	internal/script   the walk: a script and its folder in, units out
//	internal/reach    which files the units read and write
//
// In internal/script, analyze.go says what is refused before it is parsed; walk.go and
// walkwords.go walk the tree; values.go is about variables, command.go about simple
// commands, and redirects.go about their input and output; wrappers.go, find.go and
// shellstrings.go are about commands that run others.
//
// In internal/reach, operands.go and copies.go find what a part writes; pathwords.go,
// globlinks.go and trees.go what it may read; links.go says where earlier parts may have
// put symlinks, and anywhere.go which parts may run what earlier ones have written.
//
// To add a program, add a row to the table in internal/program, whose package comment says how, and cases to
// testdata/shell, where each file is about one construct.
