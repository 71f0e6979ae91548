package columns

import "testing"

func TestIs(t *testing.T) {
	for _, r := range "aZ ~äß世\ufffd🙂\u0301" {
		if Hidden(r) {
			t.Errorf("%q is seen", r)
		}
	}
	for _, r := range "\x00\n\t\x1b\x7f\u0085\u00a0\u00ad\u200b\u202e\u2028\u2066\ufeff\U000e0041\u115f\u1160\u2800\u3164\uffa0" {
		if !Hidden(r) {
			t.Errorf("%q is not seen", r)
		}
	}
}
