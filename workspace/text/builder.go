package text

// builder builds a ChangeSet section by section. It joins kept bytes with kept bytes,
// deletions with deletions, and insertions with insertions, as CodeMirror does; so the form
// of a ChangeSet depends only on the edit.
type builder struct {
	secs []section
	tail []byte // the inserted text of the last section, while it grows
}

func (b *builder) last() *section {
	if len(b.secs) == 0 {
		return nil
	}
	return &b.secs[len(b.secs)-1]
}

func (b *builder) push(s section) {
	b.seal()
	b.secs = append(b.secs, s)
}

// seal stores the grown text in the last section. Growing in a byte slice keeps
// joining many pieces linear.
func (b *builder) seal() {
	if b.tail != nil {
		b.last().ins = string(b.tail)
		b.tail = nil
	}
}

func (b *builder) grow(ins string) {
	if ins == "" {
		return
	}
	if b.tail == nil {
		b.tail = append(make([]byte, 0, 2*(len(b.last().ins)+len(ins))), b.last().ins...)
	}
	b.tail = append(b.tail, ins...)
}

// lastInserts reports whether the last section inserts anything.
func (b *builder) lastInserts() bool { return b.last().ins != "" || len(b.tail) > 0 }

func (b *builder) keep(n Byte) {
	if n == 0 {
		return
	}
	if l := b.last(); l != nil && l.keep {
		l.old += n
		return
	}
	b.push(section{old: n, keep: true})
}

func (b *builder) replace(old Byte, ins string) {
	if old == 0 && ins == "" {
		return
	}
	l := b.last()
	switch {
	case l == nil || l.keep:
		b.push(section{old: old, ins: ins})
	case ins == "" && !b.lastInserts(), old == 0 && l.old == 0:
		b.extend(old, ins)
	default:
		b.push(section{old: old, ins: ins})
	}
}

// extend adds to the last section, which must be a change.
func (b *builder) extend(old Byte, ins string) {
	b.last().old += old
	b.grow(ins)
}

func (b *builder) done() ChangeSet {
	b.seal()
	return ChangeSet{b.secs}
}
