//go:build race

package app

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"sync"
)

// lockOrder is what each goroutine holds of the ordered locks.
var lockOrder = struct {
	sync.Mutex
	held map[string][]int
}{held: map[string][]int{}}

// takes says that this goroutine is about to take a lock. It panics where that could
// be one of two that wait for each other.
func takes(r int) {
	me := goroutine()
	lockOrder.Lock()
	defer lockOrder.Unlock()
	has := lockOrder.held[me]
	if i := slices.IndexFunc(has, func(x int) bool { return x >= r }); i >= 0 {
		panic(fmt.Sprintf("a lock of rank %d is taken while one of rank %d is held: see locks.go", r, has[i]))
	}
	lockOrder.held[me] = append(has, r)
}

// gives says that this goroutine gives a lock back.
func gives(r int) {
	me := goroutine()
	lockOrder.Lock()
	defer lockOrder.Unlock()
	has := lockOrder.held[me]
	i := slices.Index(has, r)
	if i < 0 {
		panic(fmt.Sprintf("a lock of rank %d is given back that another goroutine took", r))
	}
	if has = slices.Delete(has, i, i+1); len(has) == 0 {
		delete(lockOrder.held, me)
	} else {
		lockOrder.held[me] = has
	}
}

// goroutine is what the runtime calls this one.
func goroutine() string {
	var b [64]byte
	s := b[:runtime.Stack(b[:], false)]
	s = bytes.TrimPrefix(s, []byte("goroutine "))
	n, _, _ := bytes.Cut(s, []byte(" "))
	return string(n)
}
