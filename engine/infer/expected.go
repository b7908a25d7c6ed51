package infer

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"waferpair/engine/gguf"
)

// Reads returns how many bytes of weights a token reads: all matrices, and of a table that is not the head as
// well only its own row.
func Reads(f *gguf.File) (sum int64) {
	_, untied := f.Tensor("output.weight")
	for _, t := range f.Tensors {
		if len(t.Sizes) > 1 && (t.Name != "token_embd.weight" || !untied) {
			sum += t.Bytes
		}
	}
	return sum
}

// What a token takes beside reading its weights, as measured on processors with AVX-512 and AVX2; plain Go
// computes longer than it reads.
const (
	reached    = 0.85                  // of the bandwidth; 0.6 to 0.93 of it with models of 0.5 B and up
	aLayer     = 10 * time.Microsecond // barriers, norms and attention
	plainBytes = 1.9e9                 // that plain Go computes with in a second, on one thread
)

// Expected returns about how many tokens a second a model will decode behind a short prompt: it has so many
// layers, a token reads so many bytes, and memory is read at so many bytes a second.
func Expected(layers int, reads int64, bandwidth float64) float64 {
	speed := reached * bandwidth
	if Backends()[0] == plainName {
		speed = min(speed, plainBytes*float64(Threads()))
	}
	return 1 / (float64(reads)/speed + float64(layers)*aLayer.Seconds())
}

// Bandwidth measures how many bytes of memory a second this computer reads with as many threads as compute. It
// takes less than half a second, and at most 256 MB.
func Bandwidth() float64 {
	threads := Threads()
	half := roomOfBandwidth() / int64(2*threads) // two streams keep more of memory busy than one
	best := time.Duration(1<<63 - 1)
	rooms := make([][]byte, threads)
	each := func(do func(i int)) time.Duration {
		began := time.Now()
		var all sync.WaitGroup
		for i := range threads {
			all.Go(func() { do(i) })
		}
		all.Wait()
		return time.Since(began)
	}
	// each thread writes its own pages: a page that nobody wrote is one page of zeros for all
	end := time.Now().Add(300 * time.Millisecond)
	each(func(i int) {
		rooms[i] = make([]byte, 2*half)
		for at := 0; at < len(rooms[i]); at += 1 << 12 {
			rooms[i][at] = 1
		}
	})
	for round := 0; round < 2 || time.Now().Before(end); round++ {
		best = min(best, each(func(i int) { bytes.Equal(rooms[i][:half], rooms[i][half:2*half]) })) // reads all of it
	}
	return float64(2*half) * float64(threads) / best.Seconds()
}

// roomOfBandwidth is twice the largest cache, where the system says what that is.
func roomOfBandwidth() int64 {
	const least, most = 64 << 20, 256 << 20
	room := int64(most / 2)
	sizes, err := filepath.Glob("/sys/devices/system/cpu/cpu0/cache/index*/size")
	for _, name := range sizes {
		raw, bad := os.ReadFile(name)
		kilobytes, no := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(string(raw)), "K"), 10, 64)
		if err == nil && bad == nil && no == nil {
			room = max(room, kilobytes<<11)
		}
	}
	if have, known := available(); known {
		room = min(room, have/8)
	}
	return min(max(room, least), most)
}
