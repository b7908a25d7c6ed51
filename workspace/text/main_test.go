package text

import (
	"flag"
	"os"
	"testing"
)

// TestMain sets how many cases each property test draws; WAFERPAIR_LONG=1 is for
// soak runs.
func TestMain(m *testing.M) {
	checks := "2000"
	if os.Getenv("WAFERPAIR_LONG") != "" {
		checks = "100000"
	}
	flag.Parse()
	if f := flag.Lookup("rapid.checks"); f.Value.String() == f.DefValue {
		flag.Set("rapid.checks", checks)
	}
	os.Exit(m.Run())
}
