// Package server answers HTTP requests for flags.
package server

import (
	"encoding/json"
	"net/http"
	"strings"

	"example.com/config-service/store"
)

const prefix = "/flags/"

// New returns the service's handler.
func New(flags *store.Store) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/flags", func(w http.ResponseWriter, r *http.Request) {
		writeJSON(w, flags.Names())
	})
	mux.HandleFunc(prefix, func(w http.ResponseWriter, r *http.Request) {
		value, ok := flags.Get(strings.TrimPrefix(r.URL.Path, prefix))
		if !ok {
			http.NotFound(w, r)
			return
		}
		writeJSON(w, value)
	})
	return mux
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(v)
}
