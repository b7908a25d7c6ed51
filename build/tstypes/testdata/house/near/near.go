// Package near has what is next to a house.
package near

import "waferpair/build/tstypes/testdata/house/near/far"

type Street = far.Street
