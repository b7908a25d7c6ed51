// Package run carries out programs of package kernel on emulated cores and says
// what came of it: cycles that were counted, beside those of the formulas, and
// numbers, beside those of plain code. It may be slow; nothing that runs depends
// on it.
//
// A Spec is a kernel by itself: its bench draws numbers for the inputs of a
// kernel.Job, runs the program, reads the output and compares it with the plain
// reference, which is written here. A Model is a whole decode step.
package run
