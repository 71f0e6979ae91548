// Package expression is the expression language of workflow files: expr-lang's,
// with functions of its own, checked names and types, and bounded evaluation.
//
// A [Reader] reads the expressions of one file, as they stand or between marks. A
// [Scope] has the names that one of them sees, with which [Reader.Compile] checks
// it. [Expression.Eval] computes it from an [Env]; what that may cost is counted by
// a meter, whose functions stand in for the operators that could cost too much.
//
// Whatever is wrong is reported where it stands in the file, in words of this
// language and not of expr's.
package expression
