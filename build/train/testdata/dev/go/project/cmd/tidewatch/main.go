// Command tidewatch watches tide gauges and tells the harbour about high water.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"strings"
	"tidewatch/alert"
	"tidewatch/feed"
	"tidewatch/gauge"
	"tidewatch/internal/textutil"
	"tidewatch/store"
	"time"
)

var version = "0.4.1"

type config struct {
	baseURL  string
	token    string
	stations []string
	dataDir  string
	interval time.Duration
	limit    float64
	mailTo   string
}

func parseFlags(args []string) (*config, error) {
	fs := flag.NewFlagSet("tidewatch", flag.ContinueOnError)
	cfg := &config{}
	var list string
	fs.StringVar(&cfg.baseURL, "url", "https://gauges.example", "address of the server")
	fs.StringVar(&list, "stations", "cux,hel", "stations to watch, separated by commas")
	fs.StringVar(&cfg.dataDir, "data", "./data", "folder of the store")
	fs.DurationVar(&cfg.interval, "interval", 5*time.Minute, "time between two rounds")
	fs.Float64Var(&cfg.limit, "limit", 450, "level in cm above which an alert is sent")
	fs.StringVar(&cfg.mailTo, "mail", "", "who gets alerts")
	if err := fs.Parse(args); err != nil {
		return nil, err
	}
	cfg.stations = strings.Split(list, ",")
	cfg.token = os.Getenv("TIDEWATCH_TOKEN")
	return cfg, nil
}

func buildNotifier(cfg *config) alert.Notifier {
	if cfg.mailTo == "" {
		return &alert.LogNotifier{Prefix: "ALERT"}
	}
	return &alert.MailNotifier{Host: "localhost", Port: 25, Recipients: alert.Recipients(cfg.mailTo)}
}

func loadRegistry(cfg *config) *gauge.Registry {
	reg := gauge.NewRegistry()
	for _, id := range cfg.stations {
		st := gauge.NewStation(id, textutil.Title(id))
		reg.Add(st, false)
		fmt.Println("loaded", id)
	}
	return reg
}

func run(ctx context.Context, cfg *config) error {
	reg := loadRegistry(cfg)
	st, err := store.OpenFile(cfg.dataDir, "readings.jsonl")
	if err != nil {
		return err
	}
	buf := feed.NewBuffer(st, true)
	defer buf.Close()
	client := feed.NewClient(cfg.baseURL, cfg.token)
	defer client.Close()
	engine := alert.NewEngine(buildNotifier(cfg), &alert.LevelRule{Limit: cfg.limit, Severity: alert.Warning})
	ticker := time.NewTicker(cfg.interval)
	defer ticker.Stop()
	for {
		n := client.FetchAll(ctx, reg.IDs(), buf)
		log.Printf("round done: %d readings, %d dropped", n, buf.Dropped())
		for _, id := range reg.IDs() {
			rs, err := client.Fetch(ctx, id, 1)
			if err != nil || len(rs) == 0 {
				continue
			}
			engine.Process(rs[0], false)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
}

func usage(code int) {
	fmt.Fprintln(os.Stderr, "usage: tidewatch [flags]")
	fmt.Fprintln(os.Stderr, "version "+version)
}

func printBanner() {
	fmt.Println("tidewatch " + version)
}

func main() {
	cfg, err := parseFlags(os.Args[1:])
	if err != nil {
		usage(2)
		os.Exit(2)
	}
	if err := run(context.Background(), cfg); err != nil {
		log.Fatal(err)
	}
}
