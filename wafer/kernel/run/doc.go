// Package run carries out programs of package kernel on emulated cores and says
// what came of it: cycles that were counted, beside those of the formulas, and
// numbers, beside those of plain code. It may be slow; nothing that runs depends
// on it.
package run
