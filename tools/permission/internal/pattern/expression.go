package pattern

import (
	"regexp"
	"runtime"
	"sync"
	"weak"
)

// expressions are those that some rule still has, as weak pointers by their sources.
var expressions sync.Map

// Expression compiles a valid regular expression. All rules that have it share it: each step of a file has the rules of
// that file, and an expression takes a hundred times as much memory as its rule.
func Expression(source string) *regexp.Regexp {
	if kept, is := expressions.Load(source); is {
		if shared := kept.(weak.Pointer[regexp.Regexp]).Value(); shared != nil {
			return shared
		}
	}
	made := regexp.MustCompile(source)
	kept := weak.Make(made)
	expressions.Store(source, kept)
	runtime.AddCleanup(made, func(source string) { expressions.CompareAndDelete(source, kept) }, source)
	return made
}
