package treesitter

// family is every class that must agree on a member's name: those that declare
// it, connected through inheritance, and all their descendants.
type family struct {
	classes map[*class]bool
	unsure  []*node // base classes that are not known, with their classes
	owners  []*class
}

// bases are the project's classes that c extends, and the base expressions
// that lead out of the project or nowhere.
func (p *project) bases(c *class) (in []*class, out []*node) {
	for _, b := range c.bases {
		e := p.d.entity(p, c.unit, b)
		if b.is("subscript", "generic_type") && e.kind == anything {
			e = p.d.entity(p, c.unit, b.firstKid()) // Base[T], Base<T>
		}
		if (e.kind == aClass || e.kind == anInstance) && e.class != c {
			in = append(in, e.class)
		} else {
			out = append(out, b)
		}
	}
	return in, out
}

// ancestry lists c and the project's classes it inherits from, nearest first.
func (p *project) ancestry(c *class) []*class {
	out := []*class{c}
	for i := 0; i < len(out) && i < 200; i++ {
		in, _ := p.bases(out[i])
		for _, b := range in {
			if !has(out, b) {
				out = append(out, b)
			}
		}
	}
	return out
}

func has[T comparable](list []T, x T) bool {
	for _, y := range list {
		if x == y {
			return true
		}
	}
	return false
}

// classesOf are all classes of the files that could take part: the files that
// mention the member, and those that mention a class of the family.
func (j *job) familyOf(c *class, name string) (*family, error) {
	f := &family{classes: map[*class]bool{c: true}}
	searched := map[string]bool{}
	for grew := true; grew; {
		grew = false
		for k := range f.classes {
			if k.b == nil || searched[k.b.name] {
				continue
			}
			searched[k.b.name] = true
			if _, err := j.p.mentioning(j.ctx, k.b.name); err != nil {
				return nil, err
			}
		}
		for _, u := range j.p.all() {
			for _, k := range u.classes {
				if !f.classes[k] && j.joins(f, k, name) {
					f.classes[k] = true
					grew = true
				}
			}
		}
		for k := range f.classes {
			for _, a := range j.p.ancestry(k) {
				if !f.classes[a] && len(a.members[name]) > 0 {
					f.classes[a] = true
					grew = true
				}
			}
		}
	}
	for k := range f.classes {
		if len(k.members[name]) > 0 {
			f.owners = append(f.owners, k)
		}
		for _, a := range j.p.ancestry(k) {
			_, out := j.p.bases(a)
			for _, b := range out {
				if !j.d.outsideBase(b, name) && !has(f.unsure, b) {
					f.unsure = append(f.unsure, b)
				}
			}
		}
	}
	return f, nil
}

// joins reports whether k inherits from a class of the family.
func (j *job) joins(f *family, k *class, name string) bool {
	in, _ := j.p.bases(k)
	for _, b := range in {
		if f.classes[b] {
			return true
		}
	}
	return false
}

// all lists the files that have been parsed so far, in order.
func (p *project) all() []*unit {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []*unit
	for _, f := range p.files {
		if u := p.units[f]; u != nil {
			out = append(out, u)
		}
	}
	return out
}

// shape is the set of member names of a class and its ancestors, and those of
// them that an object must have.
func (p *project) shape(c *class) (all, required map[string]bool) {
	all, required = map[string]bool{}, map[string]bool{}
	for _, a := range p.ancestry(c) {
		for name, ms := range a.members {
			all[name] = true
			if ms[0].def.child("?") == nil && !ms[0].static {
				required[name] = true
			}
		}
	}
	return all, required
}

// interchangeable reports whether an object of one class could pass for one of
// the other, as far as the names of their members tell: TypeScript compares shapes.
func (p *project) interchangeable(a, b *class) bool {
	allA, needA := p.shape(a)
	allB, needB := p.shape(b)
	return covers(allA, needB) || covers(allB, needA)
}

func covers(all, need map[string]bool) bool {
	for n := range need {
		if !all[n] {
			return false
		}
	}
	return true
}
