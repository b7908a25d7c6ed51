package treesitter

// class is a class or an interface, with the members that its text declares.
type class struct {
	unit    *unit
	b       *binding // its name; nil for an anonymous class expression
	node    *node
	def     *node  // Java: what declares it; node is the body where it has no name
	scope   *scope // the scope of the body
	bases   []*node
	members map[string][]member
	iface   bool
}

// member is one declaration of a method, a field, or an attribute set on self.
type member struct {
	name   *node
	def    *node
	method bool
	static bool
}

func (c *class) add(name string, m member) {
	if c.members == nil {
		c.members = map[string][]member{}
	}
	for _, old := range c.members[name] {
		if old.name == m.name {
			return
		}
	}
	c.members[name] = append(c.members[name], m)
}

// title is the class's name, for messages.
func (c *class) title() string {
	if c.b != nil {
		return c.b.name
	}
	return "a class"
}

func (u *unit) classAt(n *node) *class {
	for _, c := range u.classes {
		if c.node == n {
			return c
		}
	}
	return nil
}

func (u *unit) classOf(b *binding) *class {
	for _, c := range u.classes {
		if c.b == b {
			return c
		}
	}
	return nil
}
