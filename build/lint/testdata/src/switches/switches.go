package switches

type color int

const (
	red color = iota
	green
	blue
)

func paint(c color) string {
	switch c { // want "missing cases in expression switch: blue"
	case red:
		println("r")
	case green:
	}
	switch c { // says what becomes of the others
	case red:
		println("r")
	default:
	}
	switch c { // every case leaves: what follows is the default
	case red:
		return "r"
	case green:
		panic("green")
	}
	return "?"
}
