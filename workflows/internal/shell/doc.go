// Package shell says how bash reads the values in a script: whether each of them,
// put there as a variable, is one word to it, or could be code. It parses scripts
// and runs none.
package shell
