package local

import "errors"

// errLoop means that an answer goes round in a circle, as small models' do.
var errLoop = errors.New("the model repeats itself over and over, and was stopped: " +
	"ask again in other words, or a larger model")

// loop notices an answer that goes round in a circle. A table of zeros in a source file is one, too, so it
// takes a long one.
type loop struct{ tokens []int32 }

const (
	loopTokens = 1536 // as many at the end that repeat
	loopPeriod = 96   // what repeats is at most so long
)

// add reports whether with one more token the end of the answer only repeats itself. It looks now and then.
func (l *loop) add(id int32) bool {
	l.tokens = append(l.tokens, id)
	if n := len(l.tokens); n < loopTokens+loopPeriod || n%256 != 0 {
		return false
	}
	for period := 1; period <= loopPeriod; period++ {
		if l.repeats(period) {
			return true
		}
	}
	return false
}

func (l *loop) repeats(period int) bool {
	end := l.tokens[len(l.tokens)-loopTokens:]
	for i := period; i < len(end); i++ {
		if end[i] != end[i-period] {
			return false
		}
	}
	return true
}
