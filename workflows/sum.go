package workflows

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"slices"
	"strconv"

	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

// Sums are for what a file says, whatever its comments and its layout: two files
// that say the same have the same sums.

// sumOf is the sum of a node, without the keys that are left out of it.
func sumOf(n *tree.Node, without ...string) string { return digestOf(n, without...)[:16] }

// digestOf is all of a sum, in hex, for what somebody may want to look the same.
func digestOf(n *tree.Node, without ...string) string {
	sum := sha256.New()
	addNode(sum, n, without)
	return hex.EncodeToString(sum.Sum(nil))
}

// addNode adds a node. Each piece has its length before it, so that no two nodes are
// written alike. The order of keys counts: that of rules means something.
func addNode(to hash.Hash, n *tree.Node, without []string) {
	add := func(text string) { to.Write([]byte(strconv.Itoa(len(text)) + ":" + text)) } // never fails
	add(string(n.Kind))
	switch n.Kind {
	case tree.KindList:
		for _, item := range n.Items {
			addNode(to, item, nil)
		}
		add("end")
	case tree.KindMap:
		for _, e := range n.Entries {
			if !slices.Contains(without, e.Key.Text) {
				add(e.Key.Text)
				addNode(to, e.Value, nil)
			}
		}
		add("end")
	default:
		add(n.Text)
	}
}

// aside are the keys at the top of a file that change nothing of what its steps do.
var aside = []string{"description", "version", "prices", "budget", "steps"}

// sumsOf are the sums of what a file says beside its steps, by key.
func sumsOf(root *tree.Node) map[string]string {
	sums := map[string]string{}
	for _, e := range root.Entries {
		if !slices.Contains(aside, e.Key.Text) {
			sums[e.Key.Text] = sumOf(e.Value)
		}
	}
	return sums
}
