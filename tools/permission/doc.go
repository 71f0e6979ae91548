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
// Shell commands go through walk.go (the tree), words.go (what a word can be),
// command.go (one simple command), guards.go and its tables (options that need
// a rule of their own), wrappers.go (programs that run programs) and
// redirects.go; bashset.go judges what they list. A new command is added to the tables in guard_table.go,
// wrapper_table.go, operands.go or readonly.go. Paths are in resolve.go and
// pathpattern.go, addresses of web pages in url.go and urlset.go, names of tools
// in toolset.go. scripts.go reads the scripts of sed and awk. Cases for each
// construct are in testdata/shell.
package permission
