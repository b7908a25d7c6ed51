// Command config-service serves feature flags over HTTP.
package main

import (
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"

	"example.com/config-service/config"
	"example.com/config-service/server"
	"example.com/config-service/store"
)

func main() {
	path := flag.String("config", "flags.conf", "file with the flags")
	flag.Parse()

	cfg, err := config.ParseConfig(*path)
	if err != nil {
		fmt.Fprintln(os.Stderr, "ParseConfig:", err)
		os.Exit(1)
	}
	flags := store.New(cfg.Values)
	addr := fmt.Sprintf(":%d", cfg.Port)
	log.Printf("serving %d flags on %s", flags.Len(), addr)
	log.Fatal(http.ListenAndServe(addr, server.New(flags)))
}
