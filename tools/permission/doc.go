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
// shell.go and bashset.go judge the parts of a command, bashpattern.go matches them with
// rules, namedfiles.go finds the files that their words name, folders.go is for commands
// outside of the workspace root, and effects.go judges the changes of held commands.
// pathset.go judges files, urlset.go addresses, toolset.go names of tools, and warning.go the
// rules themselves. protected.go is about files that are never written.
//
// Each of the packages below imports only those before it:
//
//	internal/pattern  patterns as regular expressions, characters that nobody sees
//	internal/address  URLs and IP addresses
//	internal/place    paths, resolved as the kernel does; secret files
//	internal/command  a command taken apart and printed; the table of programs
//
// To add a program, add a row to internal/command/programs.txt, which says how, and cases to
// testdata/shell, where each file is about one construct.
