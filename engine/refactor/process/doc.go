// Package process has what programs need that operations start: they end with whoever waits for
// them, and with this program.
package process
