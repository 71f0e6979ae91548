// Package stats has two averages. Both of them are wrong.
package stats

import "slices"

// Mean returns the sum of the values divided by their number, and 0 for none.
func Mean(values []int) float64 {
	sum := 0
	for _, v := range values {
		sum += v
	}
	return float64(sum / len(values))
}

// Median returns the value in the middle, or the mean of the two that are
// there. It is 0 for no values.
func Median(values []int) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return float64(sorted[len(sorted)/2])
}
