package typecheck

// Processes returns the process ids of the workers.
func (c *Checker) Processes() (pids []int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range c.workers {
		pids = append(pids, w.pid)
	}
	return pids
}

// FlagOf is flagOf.
var FlagOf = flagOf
