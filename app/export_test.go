package app

// ForgetSymbols makes the next question read all files again.
func ForgetSymbols(p *Project) {
	p.reads.symbols.mu.Lock()
	defer p.reads.symbols.mu.Unlock()
	p.reads.symbols.files = nil
}
