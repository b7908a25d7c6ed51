package text

import (
	"flag"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestMain sets how many cases each property test draws; WAFERPAIR_LONG=1 is for
// soak runs.
func TestMain(m *testing.M) {
	checks := "5000"
	if os.Getenv("WAFERPAIR_LONG") != "" {
		checks = "100000"
	}
	flag.Parse()
	if f := flag.Lookup("rapid.checks"); f.Value.String() == f.DefValue {
		flag.Set("rapid.checks", checks)
	}
	os.Exit(m.Run())
}

// goroot is Go's installation, for its real source files.
func goroot(t testing.TB) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatalf("go env GOROOT: %v; the tests read Go's own source", err)
	}
	return strings.TrimSpace(string(out))
}
