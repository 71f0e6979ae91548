// Package tree parses YAML (and JSON, which is YAML) into nodes that know their position in
// the file, and collects the mistakes in a file.
//
//	r := &tree.Report{}
//	root := tree.Read(tree.NewSource(file, string(text)), text, tree.WorkflowLimits(), r)
//	if root == nil {
//		return r.Diagnostics()
//	}
//
// It uses the YAML library for syntax only. The size of a file is limited before the
// library's parser, which is recursive, sees it. Values, aliases and merge keys are
// resolved here, so that a small file can't become a big tree.
package tree
