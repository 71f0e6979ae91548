package stats

import "testing"

func TestMean(t *testing.T) {
	for _, test := range []struct {
		values []int
		want   float64
	}{
		{nil, 0},
		{[]int{1, 2}, 1.5},
		{[]int{2, 4, 6}, 4},
	} {
		if got := Mean(test.values); got != test.want {
			t.Errorf("Mean(%v) = %v, want %v", test.values, got, test.want)
		}
	}
}

func TestMedian(t *testing.T) {
	for _, test := range []struct {
		values []int
		want   float64
	}{
		{nil, 0},
		{[]int{5, 1, 3}, 3},
		{[]int{4, 1, 3, 2}, 2.5},
	} {
		if got := Median(test.values); got != test.want {
			t.Errorf("Median(%v) = %v, want %v", test.values, got, test.want)
		}
	}
}
