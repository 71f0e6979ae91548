// The program empty is what any Go program costs.
package main

func main() {}
