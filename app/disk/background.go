package disk

// background is work that continues after an opening.
type background struct {
	done chan struct{} // nil: there is none
	err  error
}

func (b *background) wait() error {
	if b.done == nil {
		return nil
	}
	<-b.done
	return b.err
}

// idle reports whether no background work is running.
func (b *background) idle() bool {
	if b.done == nil {
		return true
	}
	select {
	case <-b.done:
		return true
	default:
		return false
	}
}
