// Package far is not imported by house itself.
package far

// Street is where houses stand.
type Street struct {
	Name string `json:"name"` // as on the sign
}
