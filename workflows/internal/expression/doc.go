// Package expression is the expression language of workflow files: expr-lang's,
// with functions of its own, checked names and types, and bounded evaluation.
//
// A [Reader] parses the expressions of one file, with marks around them or without. A
// [Scope] has the names that an expression sees, with which [Reader.Compile] checks it.
// [Expression.Eval] evaluates it with an [Env]; a meter counts the cost, and its functions
// replace the operators that could cost too much.
//
// Mistakes are reported at their position in the file, in the words of this language
// instead of expr's.
package expression
