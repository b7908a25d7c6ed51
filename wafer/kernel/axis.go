package kernel

import "waferpair/wafer/fabric"

// Axis is the direction of a line of cores.
type Axis uint8

// Along a row, or along a column.
const (
	X Axis = iota
	Y
)

func (a Axis) String() string { return [...]string{"x", "y"}[a] }

// Other returns the axis across.
func (a Axis) Other() Axis { return 1 - a }

// up returns the port towards higher positions on the axis; down returns the opposite port.
func (a Axis) up() fabric.Port {
	if a == X {
		return fabric.East
	}
	return fabric.South
}

func (a Axis) down() fabric.Port { return a.up().Opposite() }

// length returns the number of cores in a line along the axis, and the number of lines.
func (p *Plan) length(a Axis) (cores, lines int) {
	if a == X {
		return p.Grid.Width, p.Grid.Height
	}
	return p.Grid.Height, p.Grid.Width
}

// place returns the i-th core of a line.
func (a Axis) place(line, i int) fabric.At {
	if a == X {
		return fabric.At{X: i, Y: line}
	}
	return fabric.At{X: line, Y: i}
}

// place returns a core's position on the axis.
func place(a Axis, at fabric.At) int {
	if a == X {
		return at.X
	}
	return at.Y
}

// configure sets a route at the i-th core of every line.
func (p *Plan) configure(a Axis, i int, c fabric.Color, rx, tx fabric.Ports) error {
	return p.configureSwitch(a, i, c, fabric.Route{Rx: rx, Tx: tx})
}

// configureSwitch sets the positions of a switch there; the last one stays.
func (p *Plan) configureSwitch(a Axis, i int, c fabric.Color, positions ...fabric.Route) error {
	_, lines := p.length(a)
	for line := range lines {
		if err := p.Grid.SetRoute(a.place(line, i), c, false, positions...); err != nil {
			return err
		}
	}
	return nil
}

// link routes a color from the i-th core of every line, past those between, to
// the j-th.
func (p *Plan) link(a Axis, c fabric.Color, i, j int) error {
	out, step := a.up(), 1
	if j < i {
		out, step = a.down(), -1
	}
	if err := p.configure(a, i, c, fabric.Of(fabric.Ramp), fabric.Of(out)); err != nil {
		return err
	}
	for k := i + step; k != j; k += step {
		if err := p.configure(a, k, c, fabric.Of(out.Opposite()), fabric.Of(out)); err != nil {
			return err
		}
	}
	return p.configure(a, j, c, fabric.Of(out.Opposite()), fabric.Of(fabric.Ramp))
}

// configureBroadcast routes a color from the root-th core of every line to all others.
func (p *Plan) configureBroadcast(a Axis, c fabric.Color, root int) error {
	cores, _ := p.length(a)
	for i := range cores {
		rx, tx := fabric.Of(fabric.Ramp), fabric.Ports(0)
		if i > root {
			rx = fabric.Of(a.down())
		} else if i < root {
			rx = fabric.Of(a.up())
		}
		if i >= root && i < cores-1 {
			tx |= fabric.Of(a.up())
		}
		if i <= root && i > 0 {
			tx |= fabric.Of(a.down())
		}
		if i != root {
			tx |= fabric.Of(fabric.Ramp)
		}
		if tx == 0 {
			continue // a line of one core
		}
		if err := p.configure(a, i, c, rx, tx); err != nil {
			return err
		}
	}
	return nil
}
