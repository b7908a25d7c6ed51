// Package rapidseed gives the property tests of a package the seed in WAFERPAIR_SEED, like package
// testseed does for tests with cases of their own. A test file imports it for that effect.
package rapidseed

import (
	"flag"
	"os"

	_ "pgregory.net/rapid" // defines the flag
)

func init() {
	seed := os.Getenv("WAFERPAIR_SEED")
	if seed == "" {
		return
	}
	if err := flag.Set("rapid.seed", seed); err != nil {
		panic("WAFERPAIR_SEED: " + err.Error())
	}
}
