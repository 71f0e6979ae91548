// Package tree reads YAML (and JSON, which is YAML) into nodes that know their
// place in the file, and collects what is wrong with them.
//
//	r := &tree.Report{}
//	root := tree.Read(tree.NewSource(file, string(text)), text, tree.WorkflowLimits(), r)
//	if root == nil {
//		return r.Diagnostics()
//	}
//
// It goes to the YAML library for syntax alone. What a file may hold is bounded
// before the library's parser, which is recursive, sees it; values, aliases and
// merge keys are its own, so that a small file can't become a big tree.
package tree
