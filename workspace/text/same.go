package text

// Same returns how many bytes at the beginning and at the end of removed and inserted are
// equal: the bytes that a replacement leaves unchanged.
func Same(removed, inserted string) (front, back Byte) {
	n := min(len(removed), len(inserted))
	for int(front) < n && removed[front] == inserted[front] {
		front++
	}
	n -= int(front)
	for int(back) < n && removed[len(removed)-1-int(back)] == inserted[len(inserted)-1-int(back)] {
		back++
	}
	return front, back
}
