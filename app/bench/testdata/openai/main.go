// This program has one streamed answer through OpenAI's own client for Go, and prints the processor
// time that it took in microseconds, and the number of its deltas.
package main

import (
	"context"
	"fmt"
	"os"
	"syscall"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
)

func main() {
	c := openai.NewClient(option.WithBaseURL(os.Args[1]+"/"), option.WithAPIKey("none"))
	before := used()
	s := c.Responses.NewStreaming(context.Background(), responses.ResponseNewParams{Model: "gpt-5.5",
		Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("hi")}})
	n := 0
	for s.Next() {
		if s.Current().Type == "response.output_text.delta" {
			n++
		}
	}
	if s.Err() != nil {
		fmt.Fprintln(os.Stderr, s.Err())
		os.Exit(1)
	}
	fmt.Println(used()-before, n)
}

func used() int64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // it cannot fail
	return (u.Utime.Nano() + u.Stime.Nano()) / 1000
}
