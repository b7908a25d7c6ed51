// Package drivertest has the test doubles for turns: Speaker, a model that can be cut at
// any token; Writer, a driver without a model that writes files itself, torn and late; and
// Memory, a project in memory.
package drivertest
