package cli

import "testing"

func TestSizesAreRead(t *testing.T) {
	for s, want := range map[string]int64{"": 0, "none": 0, "1000": 1000, "500MB": 500e6, "1.5 GB": 1.5e9,
		"2GiB": 2 << 30, "64k": 64000} {
		if n, err := parseSize(s); err != nil || n != want {
			t.Errorf("%q: %d %v", s, n, err)
		}
	}
	for _, s := range []string{"x", "-5MB", "5 apples", "0", "MB", "NaN", "1e300GB", "5XB"} {
		if n, err := parseSize(s); err == nil {
			t.Errorf("%q: %d", s, n)
		}
	}
}
