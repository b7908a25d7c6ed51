// Command modelfile writes a small model file, for flows through the window and for trying things out.
//
//	go run ./build/modelfile -o answers.gguf 'It has one line.' 'That is all.'    answers with these lines
//	go run ./build/modelfile -o random.gguf -layers 12 -width 512                 random weights
package main

import (
	"flag"
	"fmt"
	"os"

	"waferpair/engine/gguf"
	"waferpair/engine/local/localtest"
)

func main() {
	out := flag.String("o", "model.gguf", "the `file`")
	family := flag.String("family", "qwen2", "of random weights: llama, qwen2 or qwen3")
	layers := flag.Int("layers", 2, "of random weights")
	width := flag.Int("width", 256, "of random weights")
	flag.Parse()
	if err := write(*out, *family, *layers, *width, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(path, family string, layers, width int, lines []string) error {
	if len(lines) == 0 {
		return localtest.Write(path, localtest.Shape(family, layers, width), gguf.Q8_0, 1)
	}
	for i := range lines {
		lines[i] += "\n"
	}
	return localtest.Answering(path, gguf.Q8_0, lines...)
}
