package text

import "unicode/utf8"

// node is a persistent balanced binary tree over the bytes of a Text. Nodes are immutable, so any
// number of texts share them. A nil node is the empty text.
//
// Invariants, which join restores where two trees meet:
//
//   - The heights of a node's children differ by at most one.
//   - A leaf has at most maxLeaf bytes, and at least minLeaf unless it is the whole tree.
//   - No character spans two leaves. So the UTF-16 length of a tree is the sum over its
//     leaves, although an edit of bytes can join two invalid halves to a character.
type node struct {
	size        Byte
	units       UTF16 // length in UTF-16 code units
	breaks      int   // '\n' bytes
	height      int8  // 0 for a leaf
	left, right *node
	leaf        []byte
}

// Leaves have about a kilobyte: small enough that copying one costs less than finding it,
// large enough that the tree is small compared to the text. The limits are variables only
// so that tests can grow deep trees from short texts; minLeaf is at least 4, so that a
// character spans at most two leaves.
var maxLeaf, minLeaf = 1024, 128

func newLeaf(b []byte) *node {
	if len(b) == 0 {
		return nil
	}
	breaks, units := measure(b)
	return &node{size: Byte(len(b)), units: units, breaks: breaks, leaf: b}
}

func newNode(l, r *node) *node {
	return &node{
		size:   l.size + r.size,
		units:  l.units + r.units,
		breaks: l.breaks + r.breaks,
		height: 1 + max(l.height, r.height),
		left:   l,
		right:  r,
	}
}

func (n *node) len() Byte {
	if n == nil {
		return 0
	}
	return n.size
}

// build returns a tree with a copy of b, in leaves of equal size, split between characters.
func build(b []byte) *node {
	if len(b) <= maxLeaf {
		return newLeaf(append([]byte(nil), b...))
	}
	leaves := (len(b) + maxLeaf - 1) / maxLeaf
	mid := len(b) * (leaves / 2) / leaves
	mid -= cutBefore(b, mid)
	return link(build(b[:mid]), build(b[mid:]))
}

// link joins two trees whose seam is valid, and balances. It takes time proportional to the
// difference of the heights.
func link(l, r *node) *node {
	switch {
	case l == nil:
		return r
	case r == nil:
		return l
	case l.height > r.height+1:
		return balanced(l.left, link(l.right, r))
	case r.height > l.height+1:
		return balanced(link(l, r.left), r.right)
	}
	return newNode(l, r)
}

// balanced returns a node of two trees whose heights differ by at most two, using the
// rotations of AVL trees.
func balanced(l, r *node) *node {
	switch {
	case l.height > r.height+1:
		if l.left.height >= l.right.height {
			return newNode(l.left, newNode(l.right, r))
		}
		return newNode(newNode(l.left, l.right.left), newNode(l.right.right, r))
	case r.height > l.height+1:
		if r.right.height >= r.left.height {
			return newNode(newNode(l, r.left), r.right)
		}
		return newNode(newNode(l, r.left.left), newNode(r.left.right, r.right))
	}
	return newNode(l, r)
}

// join joins two trees and repairs the seam: leaves that are too small are merged with
// their neighbour, and a character that forms across the seam moves into one leaf.
func join(l, r *node) *node {
	if l == nil || r == nil {
		return link(l, r)
	}
	a, b := l.lastLeaf(), r.firstLeaf()
	if seamOK(a, b) {
		return link(l, r)
	}
	both := append(append(make([]byte, 0, len(a)+len(b)), a...), b...)
	return link(link(l.dropLast(), build(both)), r.dropFirst())
}

// seamOK reports whether leaves a and b can stay neighbours. They are merged if one is
// small or they fill less than half a leaf together, so that edits never fragment a text;
// merging more often would copy for little gain.
func seamOK(a, b []byte) bool {
	small := len(a) < minLeaf || len(b) < minLeaf
	return !small && len(a)+len(b) > maxLeaf/2 && !straddles(a, b)
}

// straddles reports whether a character begins in a and ends in b.
func straddles(a, b []byte) bool {
	if utf8.RuneStart(b[0]) {
		return false
	}
	var seam [2 * utf8.UTFMax]byte
	tail := a[max(0, len(a)-utf8.UTFMax+1):]
	n := copy(seam[:], tail)
	n += copy(seam[n:], b[:min(len(b), utf8.UTFMax-1)])
	return cutBefore(seam[:n], len(tail)) != 0
}

func (n *node) firstLeaf() []byte {
	for n.height > 0 {
		n = n.left
	}
	return n.leaf
}

func (n *node) lastLeaf() []byte {
	for n.height > 0 {
		n = n.right
	}
	return n.leaf
}

func (n *node) dropFirst() *node {
	if n.height == 0 {
		return nil
	}
	return link(n.left.dropFirst(), n.right)
}

func (n *node) dropLast() *node {
	if n.height == 0 {
		return nil
	}
	return link(n.left, n.right.dropLast())
}
