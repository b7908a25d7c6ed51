//go:build race

package app

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"sync"
)

// lockOrder has the ranks of the locks that each goroutine holds.
var lockOrder = struct {
	sync.Mutex
	held map[string][]int
}{held: map[string][]int{}}

// takes notes that this goroutine is about to take a lock. It panics if the order is
// wrong, because then two goroutines could wait for each other.
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

// gives notes that this goroutine releases a lock.
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

// goroutine returns the id of the current goroutine.
func goroutine() string {
	var b [64]byte
	s := b[:runtime.Stack(b[:], false)]
	s = bytes.TrimPrefix(s, []byte("goroutine "))
	n, _, _ := bytes.Cut(s, []byte(" "))
	return string(n)
}
