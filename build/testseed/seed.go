// Package testseed provides seeds for tests with random cases.
package testseed

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// New returns the seed for a test's cases and logs it. The environment variable
// WAFERPAIR_SEED fixes it, to repeat a failure; without it, every run draws other cases.
// `make test` sets it, so that whether a commit passes depends on the commit alone; `go
// test` without it tries new cases.
func New(t testing.TB) uint64 {
	t.Helper()
	seed := rand.Uint64()
	if s := os.Getenv("WAFERPAIR_SEED"); s != "" {
		fixed, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatalf("WAFERPAIR_SEED=%q is not a number: %v", s, err)
		}
		seed = fixed
	}
	t.Logf("seed: WAFERPAIR_SEED=%d", seed)
	return seed
}
