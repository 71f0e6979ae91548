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
// policy.go builds a policy and asks its domains; rules.go puts the layers of a domain
// together. shell.go has a command taken apart, and bashset.go judges each of its parts;
// held.go has what is judged otherwise where commands are held, and folders.go what a rule
// means elsewhere than in the workspace. effects.go judges what held commands did.
// bashpattern.go compares the patterns of commands, pathset.go judges files, urlset.go
// addresses, toolset.go names of tools, and warning.go the rules themselves; protected.go
// names what no wildcard covers.
//
// Below are rooms, of which each imports only those before it:
//
//	internal/pattern  texts and wildcards
//	internal/address  URLs and IP addresses
//	internal/place    paths, walked as the kernel does; secret files
//	internal/word     what words become, and how they are printed
//	internal/program  the table of programs
//	internal/script   the walk: text and folder in, units out
//	internal/reach    which files the units read and write
//
// In internal/script, analyze.go says what is refused before it is parsed, walk.go and
// walkwords.go go through the tree, values.go knows variables, command.go one simple
// command, redirects.go what it is fed and where it prints, wrappers.go, find.go and
// shellstrings.go those that run others.
//
// In internal/reach, operands.go and copies.go find what a part writes, pathwords.go,
// globlinks.go and trees.go what it may read, links.go what the parts before it
// make of paths, and anywhere.go what may run what they have written.
//
// # Adding a program
//
// It is a row of the table in internal/program, whose package comment says how. Then add
// cases to testdata/shell, where each file is about one construct: the rules of a block,
// and what becomes of commands.
package permission
