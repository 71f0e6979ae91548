package workflows

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"slices"
	"strconv"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/tree"
)

// Sums are checksums of what a file says: comments and layout do not change them.

// sumOf is the sum of a node, without some keys of a map. It detects changes; who wants to can forge it.
func sumOf(n *tree.Node, without ...string) string {
	sum := sha256.New()
	addNode(sum, n, without)
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// addNode hashes a node. Each piece has its length before it, so that different nodes are
// never hashed alike. The order of keys counts, because that of rules matters.
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

// limits are the keys of a step, and of its stop, that bound how long it works and how often. They
// change no work: a step that failed runs again with those that the file has then.
var limits = []string{"timeout", "retry", "max_fixes", "max_parallel", "max_rounds", "max_turns", "max_tool_calls", "max_tokens", "max_cost_usd", "repeated_calls", "budget"}

// stepSum is the sum of a step without the steps in it and without its limits.
func stepSum(n *tree.Node) string {
	return sumOf(n, append([]string{"steps", "stop"}, limits...)...) + stopSum(n.Get("stop"))
}

// stopSum is the sum of a stop without its limits, "" if it has nothing else.
func stopSum(stop *tree.Node) string {
	if stop == nil || !slices.ContainsFunc(stop.Entries, func(e tree.Entry) bool { return !slices.Contains(limits, e.Key.Text) }) {
		return ""
	}
	return sumOf(stop, limits...)
}

// aside are the keys at the top of a file that do not change what its steps do.
var aside = []string{"description", "version", "prices", "budget", "retry", "steps"}

// sumsOf returns the sums of the other keys at the top of a file.
func sumsOf(root *tree.Node) map[string]string {
	sums := map[string]string{}
	for _, e := range root.Entries {
		switch key := e.Key.Text; {
		case slices.Contains(aside, key) || strings.HasPrefix(key, "x-"):
		case key == "stop":
			if sum := stopSum(e.Value); sum != "" {
				sums[key] = sum
			}
		default:
			sums[key] = sumOf(e.Value)
		}
	}
	return sums
}
