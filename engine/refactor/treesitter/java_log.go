package treesitter

import "strings"

// log uses the class's logger, in the way of its library, else standard output.
func (javaDialect) log(j *job, f *function, text string, values []string) (string, error) {
	var shown []string
	for _, v := range values {
		shown = append(shown, v+`=" + `+v)
	}
	joined := `"` + text
	if len(shown) > 0 {
		joined += ": " + strings.Join(shown, ` + ", `)
	} else {
		joined += `"`
	}
	static := javaHas(f.def, "static")
	for name, ms := range f.class.members {
		field := ms[0].def.parent
		if !field.is("field_declaration") || static && !ms[0].static {
			continue
		}
		t := field.get("type").text()
		if t != "Logger" && t != "System.Logger" && t != "Log" {
			continue
		}
		holes := make([]string, len(values))
		for i, v := range values {
			holes[i] = v + "={}"
		}
		format := `"` + text
		if len(values) > 0 {
			format += ": " + strings.Join(holes, ", ")
		}
		format += `"`
		switch lib := libraryOf(f.unit, t); lib {
		case "org.slf4j.Logger", "org.apache.logging.log4j.Logger":
			return name + ".debug(" + strings.Join(append([]string{format}, values...), ", ") + ");", nil
		case "java.util.logging.Logger":
			return name + ".fine(" + joined + ");", nil
		case "System.Logger", "java.lang.System.Logger":
			return name + ".log(System.Logger.Level.DEBUG, " + joined + ");", nil
		case "org.apache.commons.logging.Log":
			return name + ".debug(" + joined + ");", nil
		}
	}
	if r := f.unit.scopes[f.fn].lookup("System", both); r != nil || j.p.topType(f.unit.pkg, "System") != nil {
		return "", j.decline("System means something else in %s", f.name)
	}
	return "System.out.println(" + joined + ");", nil
}

// libraryOf is the full name of an imported type, or the name itself.
func libraryOf(u *unit, name string) string {
	for _, o := range u.imports {
		if o.name == name {
			return o.full
		}
	}
	return name
}
