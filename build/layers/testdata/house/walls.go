package house

type walls struct {
	stones pile[stone]
	roof   *roof // climbs
}

func (w *walls) build() {
	for range width {
		w.stones.add(stone{weight: 1})
	}
}

func (w *walls) left() (n int) {
	for _, s := range w.stones.all {
		n += s.sides.left
	}
	return n
}
