//go:build windows && !windows

package leftout

var x = 1

//go:build linux // want `misplaced`
