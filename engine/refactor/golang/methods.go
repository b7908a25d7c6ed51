package golang

import (
	"cmp"
	"go/types"
	"slices"
	"strings"
)

// coupling is a type whose method of the renamed name satisfies an interface's.
type coupling struct {
	method, iface place
	of            string
	maybe         bool // generic on a side: the checker cannot say in general
}

// place is a method's declaration, in the project or (foreign) elsewhere.
type place struct {
	loc     loc
	foreign string
}

// couple makes every method that must keep the name in common a target.
func (r *renaming) couple(s *survey) error {
	var all []coupling
	for _, u := range s.universes {
		all = append(all, r.couplings(u)...)
	}
	for changed := true; changed; {
		changed = false
		for _, c := range all {
			m, i := r.isTargetPlace(c.method), r.isTargetPlace(c.iface)
			if m == i {
				continue
			}
			other := c.iface
			if i {
				other = c.method
			}
			if other.foreign != "" {
				return r.j.declined("%s has the method %s to satisfy %s", c.of, r.from, other.foreign)
			}
			if c.maybe {
				return r.j.declined("%s may satisfy an interface through type parameters; whether it does is not certain", r.from)
			}
			r.targets[other.loc] = true
			r.dirs[dirOf(other.loc.path)] = true
			changed = true
		}
	}
	return nil
}

func (r *renaming) isTargetPlace(p place) bool { return p.foreign == "" && r.targets[p.loc] }

// ifaceMethod is an interface with a method of the name.
type ifaceMethod struct {
	t    *types.Interface
	at   place
	home loc  // where the interface is declared, if in the project
	free bool // has type parameters
}

type concrete struct {
	t    types.Type
	fn   *types.Func
	at   place
	home loc // where the type is declared
	free bool
}

func (r *renaming) couplings(u *universe) []coupling {
	ifaces, impls := r.gather(u)
	if u.level == levelAll {
		ifaces = append(ifaces, r.foreignInterfaces(u)...)
	}
	r.interfaces = r.interfaces || len(ifaces) > 0
	var out []coupling
	for _, c := range impls {
		for _, i := range ifaces {
			sure, maybe := implements(c, i)
			if (sure || maybe) && r.linked(c.home, i.home) {
				out = append(out, coupling{c.at, i.at, types.TypeString(c.t, (*types.Package).Name), !sure})
			}
		}
	}
	return out
}

func implements(c concrete, i ifaceMethod) (sure, maybe bool) {
	if !i.free && (types.Implements(c.t, i.t) || types.Implements(types.NewPointer(c.t), i.t)) {
		return true, false
	}
	return false, (c.free || i.free) && sameShape(c.t, i.t)
}

// sameShape reports whether the type has methods of all the interface's names with as many parameters.
func sameShape(t types.Type, i *types.Interface) bool {
	for m := range i.Methods() {
		o, _, _ := types.LookupFieldOrMethod(t, true, m.Pkg(), m.Name())
		fn, ok := o.(*types.Func)
		if !ok || fn.Signature().Params().Len() != m.Signature().Params().Len() ||
			fn.Signature().Results().Len() != m.Signature().Results().Len() {
			return false
		}
	}
	return i.NumMethods() > 0
}

// gather finds the project's interfaces and concrete types that have the method.
func (r *renaming) gather(u *universe) (ifaces []ifaceMethod, impls []concrete) {
	for _, x := range u.units {
		if x.pkg == nil {
			continue
		}
		for _, n := range x.pkg.Scope().Names() {
			r.gatherType(u.p, x.pkg.Scope().Lookup(n), &ifaces, &impls)
		}
		if x.info == nil {
			continue
		}
		for id, o := range x.info.Defs {
			if tn, ok := o.(*types.TypeName); ok && tn.Parent() != x.pkg.Scope() {
				r.gatherType(u.p, tn, &ifaces, &impls)
			}
			fn, ok := o.(*types.Func)
			if !ok || id.Name != r.from || fn.Signature().Recv() == nil {
				continue
			}
			if t, ok := fn.Signature().Recv().Type().Underlying().(*types.Interface); ok {
				ifaces = append(ifaces, ifaceMethod{t: t, at: placeOf(u.p, fn), home: placeOf(u.p, fn).loc})
			}
		}
	}
	return ifaces, impls
}

func (r *renaming) gatherType(p *project, o types.Object, ifaces *[]ifaceMethod, impls *[]concrete) {
	tn, ok := o.(*types.TypeName)
	if !ok || tn.IsAlias() {
		return
	}
	named, ok := tn.Type().(*types.Named)
	if !ok {
		return
	}
	free := named.TypeParams().Len() > 0
	home, _ := p.locate(tn.Pos())
	if i, ok := named.Underlying().(*types.Interface); ok {
		for m := range i.Methods() {
			if m.Name() == r.from {
				*ifaces = append(*ifaces, ifaceMethod{i, placeOf(p, m), home, free})
			}
		}
		return
	}
	m, _, _ := types.LookupFieldOrMethod(named, true, tn.Pkg(), r.from)
	if fn, ok := m.(*types.Func); ok {
		*impls = append(*impls, concrete{named, fn, placeOf(p, fn), home, free})
	}
}

func placeOf(p *project, fn *types.Func) place {
	fn = fn.Origin()
	if l, ok := p.locate(fn.Pos()); ok {
		return place{loc: l}
	}
	s := fn.Name()
	if recv := fn.Signature().Recv(); recv != nil {
		s = types.TypeString(recv.Type(), (*types.Package).Name) + "." + s
	}
	return place{foreign: s}
}

// foreignInterfaces are those of the standard library and the dependencies,
// with error and the interfaces that package errors asks for without naming them.
func (r *renaming) foreignInterfaces(u *universe) []ifaceMethod {
	var out []ifaceMethod
	add := func(name string, i *types.Interface) {
		for m := range i.Methods() {
			if m.Name() == r.from {
				out = append(out, ifaceMethod{t: i, at: place{foreign: name}})
			}
		}
	}
	errorType := types.Universe.Lookup("error").Type()
	add("error", errorType.Underlying().(*types.Interface))
	for _, i := range errorsInterfaces(errorType) {
		add("what errors.Is, errors.As and errors.Unwrap look for", i)
	}
	if !exported(r.from) {
		return out
	}
	for _, pkg := range u.p.ext.closure(u.cfg) {
		for _, n := range pkg.Scope().Names() {
			tn, ok := pkg.Scope().Lookup(n).(*types.TypeName)
			if !ok || tn.IsAlias() {
				continue
			}
			named, ok := tn.Type().(*types.Named)
			if !ok || named.TypeParams().Len() > 0 {
				continue
			}
			if i, ok := named.Underlying().(*types.Interface); ok {
				add(pkg.Path()+"."+n, i)
			}
		}
	}
	slices.SortStableFunc(out, bestKnown)
	return out
}

// bestKnown orders interfaces so that a message names the one that a reader most
// likely knows: exported, small, with a short name.
func bestKnown(a, b ifaceMethod) int {
	hidden := func(i ifaceMethod) int {
		dot := strings.LastIndexByte(i.at.foreign, '.')
		if dot < 0 || exported(i.at.foreign[dot+1:]) { // error has no package
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(hidden(a), hidden(b)), cmp.Compare(a.t.NumMethods(), b.t.NumMethods()),
		cmp.Compare(len(a.at.foreign), len(b.at.foreign)))
}

// errorsInterfaces are the methods that package errors calls on an error if it has them.
func errorsInterfaces(errorType types.Type) []*types.Interface {
	boolean, anyType := types.Typ[types.Bool], types.Universe.Lookup("any").Type()
	sig := func(in, out types.Type) *types.Signature {
		var params, results *types.Tuple
		if in != nil {
			params = types.NewTuple(types.NewParam(0, nil, "", in))
		}
		results = types.NewTuple(types.NewParam(0, nil, "", out))
		return types.NewSignatureType(nil, nil, nil, params, results, false)
	}
	var out []*types.Interface
	for _, m := range []*types.Func{
		types.NewFunc(0, nil, "Is", sig(errorType, boolean)),
		types.NewFunc(0, nil, "As", sig(anyType, boolean)),
		types.NewFunc(0, nil, "Unwrap", sig(nil, errorType)),
		types.NewFunc(0, nil, "Unwrap", sig(nil, types.NewSlice(errorType))),
	} {
		i := types.NewInterfaceType([]*types.Func{m}, []types.Type{errorType})
		out = append(out, i.Complete())
	}
	return out
}

// oneFamily reports whether the symbols are methods that must share a name, so
// that renaming any of them renames all.
func (r *renaming) oneFamily() bool {
	for _, s := range r.symbols {
		if s.first().kind != "method" {
			return false
		}
	}
	one := newRenaming(r.j, r.from, r.to, r.symbols[:1])
	s, err := one.survey(r.j.p, one.concerned(r.j.p), levelAll)
	if err != nil || one.grow(s) != nil {
		return false
	}
	for l := range r.targets {
		if !one.targets[l] {
			return false
		}
	}
	return true
}
