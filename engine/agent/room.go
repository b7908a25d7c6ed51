package agent

import (
	"fmt"
	"strings"

	"waferpair/engine/model"
)

// room keeps the prompts of a turn within the model's context: they grow with each round, mostly by
// what read returns. What is shortened stays so, so that prompts keep their beginning; the history
// has all of it.
//
//	outputs that the model has not read yet     cut, so that each has a share of what is left
//	older ones, oldest first                    a line that says so, down to lowWater
type room struct {
	limit int            // tokens of prompt and answer together; 0: unknown
	short map[int]string // what stands for an output, by its place in the prompt
	sent  int            // items that the model has read
	bytes int            // of them
	per   float64        // bytes per token; 0: unknown
}

// Shares of a context.
const (
	forAnswer = 6 // a prompt leaves one in so many tokens for the answer
	lowWater  = 0.8
	// leastPer is the number of bytes per token until the model has counted.
	leastPer = 3.0
	mostPer  = 8.0
	// leastOutput is the size to which an output is cut at most, in bytes.
	leastOutput = 400
)

// learn notes how many tokens the model counted in the last prompt.
func (r *room) learn(u model.Usage) {
	if u.Input <= 0 || u.Estimated {
		return
	}
	if per := float64(r.bytes) / float64(u.Input); per >= 1 && per <= mostPer { // else it counted something else
		r.per = per
	}
}

// fit shortens outputs until the items fit. again reports that something changed which the model has
// read: what it keeps of the last prompt is of no use.
func (r *room) fit(items []model.Item) (again bool) {
	if r.limit == 0 || r.sent == 0 { // the first prompt was made to fit
		r.sent, r.bytes = len(items), sizeOf(items)
		return false
	}
	for at, words := range r.short {
		items[at] = withText(items[at], words)
	}
	per := r.per
	if per == 0 {
		per = leastPer
	}
	most := int(float64(r.limit-r.limit/forAnswer) * per)
	size := sizeOf(items)
	var fresh []int // outputs that the model has not read
	if size > most {
		for at := range items {
			switch {
			case !items[at].Kind.IsOutput():
			case at >= r.sent:
				fresh = append(fresh, at)
			case size > int(lowWater*float64(most)) && len(items[at].Text()) > leastOutput:
				size -= r.replace(items, at, fmt.Sprintf("[output of %d bytes left out to save room; call the tool again if you "+
					"need it]", len(items[at].Text())))
				again = true
			}
		}
	}
	for n := len(fresh); n > 0 && size > most; n-- { // the smallest first: what they leave is for the others
		at := smallest(items, fresh)
		fresh = without(fresh, at)
		share := len(items[at].Text())
		for _, other := range fresh {
			share += len(items[other].Text())
		}
		share = max((share-(size-most))/n, leastOutput)
		if words := items[at].Text(); len(words) > share {
			size -= r.replace(items, at, strings.ToValidUTF8(words[:share], "")+
				fmt.Sprintf("\n[cut after %d of %d bytes to save room: ask for less at once]", share, len(words)))
		}
	}
	r.sent, r.bytes = len(items), sizeOf(items)
	return again
}

// replace shortens an output, and returns by how much.
func (r *room) replace(items []model.Item, at int, words string) int {
	if r.short == nil {
		r.short = map[int]string{}
	}
	saved := len(items[at].Text()) - len(words)
	r.short[at] = words
	items[at] = withText(items[at], words)
	return saved
}

func withText(i model.Item, words string) model.Item {
	i.Parts = []model.Part{{Kind: model.InputText, Text: words}}
	return i
}

func sizeOf(items []model.Item) (n int) {
	for _, i := range items {
		n += len(i.Name) + len(i.Text()) + len(i.Opaque) + 16
	}
	return n
}

func smallest(items []model.Item, of []int) int {
	least := of[0]
	for _, at := range of {
		if len(items[at].Text()) < len(items[least].Text()) {
			least = at
		}
	}
	return least
}

func without(of []int, at int) (out []int) {
	for _, o := range of {
		if o != at {
			out = append(out, o)
		}
	}
	return out
}
