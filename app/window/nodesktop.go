//go:build !desktop && !dev

package window

import "context"

// Here tells whether this build has the window. FindProgram finds one that does.
const Here = false

const noWindow = "this build has no window (it was built without the tag desktop)"

// Usable returns why there can be no window.
func Usable(GPU) error { return &Unavailable{noWindow} }

// Run cannot show a window in this build.
func Run(context.Context, Options) error { return &Unavailable{noWindow} }

// Versions returns the versions of the window's libraries; "" in this build.
func Versions() string { return "" }
