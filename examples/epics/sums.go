// Package sums computes.
package sums
