// Package drivertest has what tests drive turns with: a model that is cut at any
// token, a driver that is no model and writes files itself, late and torn, and a
// project in memory.
package drivertest
