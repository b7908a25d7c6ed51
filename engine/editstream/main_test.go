package editstream

import (
	"flag"
	"os"
	"testing"
)

// TestMain makes soak runs of the property tests when WAFERPAIR_LONG is set.
func TestMain(m *testing.M) {
	flag.Parse()
	if os.Getenv("WAFERPAIR_LONG") != "" {
		if err := flag.Set("rapid.checks", "20000"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
