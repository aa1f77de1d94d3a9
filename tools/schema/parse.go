package schema

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// Parse reads a schema in the dialect d. The error is an *Error that lists
// every violation with its path, in one pass: foreign keywords in the order
// of the text, then the faults of known ones.
func Parse(d Dialect, data []byte) (*Schema, error) {
	r := newReader(d)
	s := r.document(data)
	if len(r.violations) > 0 {
		return nil, r.error()
	}
	return s, nil
}

// ParseForeign reads the schema of somebody else's tool, such as an MCP
// server's, whose validation is that server's. What Draft07 would refuse, it
// keeps unread, so that the model sees it and no value is checked against it;
// remarks list these places. The error, an *Error, means that data is not one
// lossless JSON object.
func ParseForeign(data []byte) (s *Schema, remarks []Violation, err error) {
	r := newReader(Draft07)
	r.lenient = true
	s = r.document(data)
	if s == nil {
		return nil, nil, r.error()
	}
	return s, r.violations, nil
}

// AssertSupportedOutputSchema checks a schema for structured output (seed
// 002). The error is an *Error with the name OutputSchemaError and the code
// UNSUPPORTED_SCHEMA.
func AssertSupportedOutputSchema(data []byte) error {
	_, err := Parse(Structured, data)
	return err
}

// reader walks the JSON text of a schema.
type reader struct {
	dialect    *dialect
	which      Dialect
	table      []keyword
	lenient    bool
	violations []Violation
	// known are the nodes read so far by their JSON pointer, for references.
	known   map[string]*Schema
	pending []*node
}

func newReader(d Dialect) *reader {
	return &reader{dialect: &dialects[d], which: d, table: keywords, known: map[string]*Schema{}}
}

// node is a schema being read.
type node struct {
	*Schema
	at place
	// required is set by seed 002's flag.
	required bool
}

func (n *node) annotate(name string, v *value) {
	n.Annotations = append(n.Annotations, Annotation{name, Literal{set: true, value: *v}})
}

// place is where a node is, for messages and for references.
type place struct{ path, pointer string }

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

func (p place) key(name string) place {
	return place{p.path + "." + clip(name), p.pointer + "/" + pointerEscaper.Replace(name)}
}

func (p place) index(i int) place {
	n := strconv.Itoa(i)
	return place{p.path + "[" + n + "]", p.pointer + "/" + n}
}

// fail records a violation and returns false.
func (r *reader) fail(at place, message string) bool {
	r.violations = append(r.violations, Violation{Path: at.path, Message: at.path + " " + message})
	return false
}

func (r *reader) error() error {
	e := &Error{Name: "SchemaError", Code: CodeInvalidInput, Violations: r.violations}
	if r.which == Structured {
		e.Name, e.Code = "OutputSchemaError", CodeUnsupportedSchema
	}
	return e
}

// document reads the whole text; nil means that there is no schema at all.
func (r *reader) document(data []byte) *Schema {
	root := place{path: "schema"}
	v, err := decode(string(data), 0)
	if err != nil {
		r.fail(root, "is not lossless JSON: "+err.Error())
		return nil
	}
	if v.kind != objectKind && (!r.dialect.booleans || v.kind != boolKind || r.lenient) {
		r.fail(root, "must be a schema object")
		return nil
	}
	if r.dialect.dsl {
		s := &Schema{Type: "object"}
		s.Properties, s.Required = r.properties(&v, root)
		return s
	}
	s := r.node(&v, root).Schema
	if r.dialect.objectRoot && len(r.violations) == 0 && s.Type != "object" {
		r.fail(root.key("type"), `must be "object" (`+r.dialect.rootReason()+` is object-rooted)`)
	}
	r.resolve()
	return s
}

func (d *dialect) rootReason() string {
	if d.unions {
		return "an argument schema"
	}
	return "structured output"
}

// node reads one schema. It always returns one, so that the walk goes on
// after a fault.
func (r *reader) node(v *value, at place) *node {
	n := &node{Schema: &Schema{}, at: at}
	r.known[at.pointer] = n.Schema
	if r.dialect.booleans && v.kind == boolKind {
		if v.text == "false" {
			n.Not = &Schema{}
		}
		return n
	}
	if v.kind != objectKind {
		r.fail(at, "must be a schema object")
		return n
	}
	r.foreign(n, v)
	for i := range r.table {
		r.keyword(n, v, r.table[i].name)
	}
	if r.dialect.typed {
		r.typed(n, v)
	}
	r.sound(n)
	if n.Ref != "" {
		r.pending = append(r.pending, n)
	}
	return n
}

// foreign reports the keywords that the dialect does not have.
func (r *reader) foreign(n *node, v *value) {
	for i := range v.list {
		name := v.list[i].key
		if _, ok := r.dialect.keywords[name]; ok {
			continue
		}
		r.fail(n.at.key(name), "is not a supported keyword"+r.dialect.subset)
		if r.lenient {
			n.annotate(name, &v.list[i])
		}
	}
}

// keyword reads one keyword if it is there. In a foreign schema a keyword of
// the wrong form is kept as it came.
func (r *reader) keyword(n *node, v *value, name string) {
	k, ok := r.dialect.keywords[name]
	if !ok {
		return
	}
	member := v.member(name)
	if member == nil {
		return
	}
	if r.dialect.typed && k.on != 0 && n.Type != "" && k.on&typeKinds[n.Type] == 0 {
		r.fail(n.at.key(name), fmt.Sprintf("is not supported on type %q", n.Type))
		return
	}
	if !k.read(r, n, member) && r.lenient {
		n.annotate(name, member)
	}
}

func (r *reader) nodes(v *value, at place) []*Schema {
	list := make([]*Schema, len(v.list))
	for i := range v.list {
		list[i] = r.node(&v.list[i], at.index(i)).Schema
	}
	return list
}

// properties reads named schemas, and the names whose schema has seed 002's
// flag.
func (r *reader) properties(v *value, at place) (list []Property, required []string) {
	list = make([]Property, len(v.list))
	for i := range v.list {
		name := v.list[i].key
		n := r.node(&v.list[i], at.key(name))
		list[i] = Property{name, n.Schema}
		if n.required {
			required = append(required, name)
		}
	}
	return list, required
}

// resolve ties references to the nodes they name.
func (r *reader) resolve() {
	for _, n := range r.pending {
		at := n.at.key("$ref")
		fragment, local := strings.CutPrefix(n.Ref, "#")
		pointer, err := url.PathUnescape(fragment)
		if !local || err != nil || pointer != "" && pointer[0] != '/' {
			r.fail(at, "must lead to a place inside the schema, such as #/definitions/name")
			continue
		}
		if n.target = r.known[pointer]; n.target == nil {
			r.fail(at, fmt.Sprintf("names %q, which is no schema in here", clip(n.Ref)))
		}
	}
}
