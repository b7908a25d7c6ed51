package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"waferpair/engine/responses/fake"
)

// scripted is an answer of the provider, as the flows of the page write it.
type scripted struct {
	Items []struct {
		Kind string `json:"kind"` // "": a message
		Text string `json:"text"`
		Name string `json:"name"` // of the tool
	} `json:"items"`
	FirstMS int `json:"first_ms"` // before its first token
	GapMS   int `json:"gap_ms"`   // between its chunks
	Refuse  *struct {
		Status     int    `json:"status"`
		Code       string `json:"code"`
		Message    string `json:"message"`
		RetryAfter string `json:"retry_after"`
	} `json:"refuse"` // instead of the items
	DieAfter int `json:"die_after"` // events, then the connection ends; 0: never
}

func (s scripted) answer() fake.Answer {
	a := fake.Answer{First: time.Duration(s.FirstMS) * time.Millisecond, Gap: time.Duration(s.GapMS) * time.Millisecond}
	for _, i := range s.Items {
		item := fake.Item{Kind: i.Kind, Text: i.Text, Name: i.Name}
		if i.Kind == "" {
			item.Kind = "message"
		}
		a.Items = append(a.Items, item)
	}
	if s.Refuse != nil {
		a.Fault = fake.Status(s.Refuse.Status, s.Refuse.Code, s.Refuse.Message)
		a.Fault.RetryAfter = s.Refuse.RetryAfter
	}
	if s.DieAfter > 0 {
		a.Fault = fake.At(fake.Die, s.DieAfter)
	}
	return a
}

// providerCommand runs a scripted provider, for the flows of frontend/e2e.
func providerCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "provider ANSWERS",
		Short: "Run a scripted provider of models, and print its base URL",
		Long: `provider listens on a free port of 127.0.0.1 until it is stopped. It gives the
ANSWERS, a JSON list, one after the other, and the last one from then on. If the
variable PROVIDER_KEY is set, it refuses every other key.`,
		Args:   cobra.ExactArgs(1),
		Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			var all []scripted
			if err := json.Unmarshal([]byte(args[0]), &all); err != nil {
				return fmt.Errorf("read the answers: %w", err)
			}
			if len(all) == 0 {
				return errors.New("read the answers: there are none")
			}
			answers := make([]fake.Answer, len(all))
			for i, a := range all {
				answers[i] = a.answer()
			}
			s := fake.New(fake.OpenAI(), fake.Answers(answers...))
			s.SetKey(os.Getenv("PROVIDER_KEY"))
			h, err := s.Serve()
			if err != nil {
				return err
			}
			defer h.Close()
			fmt.Println(h.URL)
			<-cmd.Context().Done()
			return nil
		},
	}
}
