// Package shell determines how bash reads the values that a script has in variables:
// whether each is one word, or could be run as code. It parses scripts and runs none.
package shell
