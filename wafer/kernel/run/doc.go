// Package run runs the programs of package kernel on emulated cores and reports the
// results: counted cycles beside those of the formulas, and numbers beside those of
// plain code. It may be slow; the models that users run do not depend on it.
//
// A Spec is a kernel by itself. Its bench draws numbers for the inputs of a kernel.Job,
// runs the program, reads the output and compares it with the plain reference, which
// this package has. A Model is a whole decode step.
package run
