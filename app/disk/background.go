package disk

// background is work that an opening leaves running.
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

// idle reports whether nothing runs in the background.
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
