package text

// replace returns the tree with [from, to) replaced by ins. It copies the nodes
// on the way down and one or two leaves, and shares the rest.
func (n *node) replace(from, to Byte, ins []byte) *node {
	switch {
	case n == nil:
		return build(ins)
	case n.height == 0:
		return splice(n.leaf, from, to, ins)
	}
	mid := n.left.size
	switch {
	case to < mid || to == mid && from < mid:
		return join(n.left.replace(from, to, ins), n.right)
	case from >= mid:
		return join(n.left, n.right.replace(from-mid, to-mid, ins))
	}
	return join(n.left.replace(from, mid, ins), n.right.replace(0, to-mid, nil))
}

func splice(leaf []byte, from, to Byte, ins []byte) *node {
	b := make([]byte, 0, len(leaf)-int(to-from)+len(ins))
	b = append(b, leaf[:from]...)
	b = append(b, ins...)
	b = append(b, leaf[to:]...)
	if len(b) <= maxLeaf {
		return newLeaf(b)
	}
	return build(b)
}

// slice returns the tree of [from, to).
func (n *node) slice(from, to Byte) *node {
	switch {
	case from == to:
		return nil
	case from == 0 && to == n.size:
		return n
	case n.height == 0:
		return newLeaf(n.leaf[from:to:to])
	}
	mid := n.left.size
	switch {
	case to <= mid:
		return n.left.slice(from, to)
	case from >= mid:
		return n.right.slice(from-mid, to-mid)
	}
	return join(n.left.slice(from, mid), n.right.slice(0, to-mid))
}

// appendTo appends the bytes of [from, to) to dst.
func (n *node) appendTo(dst []byte, from, to Byte) []byte {
	switch {
	case from >= to:
		return dst
	case n.height == 0:
		return append(dst, n.leaf[from:to]...)
	}
	mid := n.left.size
	dst = n.left.appendTo(dst, from, min(to, mid))
	return n.right.appendTo(dst, max(from, mid)-mid, to-mid)
}

// chunks yields the parts of the leaves that are in [from, to).
func (n *node) chunks(from, to Byte, yield func([]byte) bool) bool {
	switch {
	case from >= to:
		return true
	case n.height == 0:
		return yield(n.leaf[from:to:to])
	}
	mid := n.left.size
	return n.left.chunks(from, min(to, mid), yield) &&
		n.right.chunks(max(from, mid)-mid, to-mid, yield)
}
