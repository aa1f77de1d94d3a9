package schema

import (
	"fmt"
	"strconv"
	"strings"
)

// Validate checks the JSON text of a tool's arguments and returns every
// violation, in order: missing members, then members in the order of the
// schema, then unknown ones. It converts nothing and inserts no default; null
// is a value, only absence is absence (tools.md §3.3, §5 rows 4 and 19). It
// never panics; text that is no JSON is one violation. The root is called
// "arguments", a member of it by its name alone.
func (s *Schema) Validate(data []byte) []Violation {
	return s.validate(data, argumentVoice)
}

// ValidateStructuredValue checks a value against a schema of the Structured
// dialect with seed 002's texts: the root is called "value", a member
// "value.x" (tools.md §3.8, Appendix A.4).
func ValidateStructuredValue(s *Schema, data []byte) []Violation {
	return s.validate(data, structuredVoice)
}

func (s *Schema) validate(data []byte, voice *voice) []Violation {
	v, err := decode(string(data), anyNumbers|rawStrings)
	if err != nil {
		return []Violation{{Path: voice.root, Message: fmt.Sprintf("%q is not valid JSON: %s", voice.root, err)}}
	}
	w := walker{voice: voice, budget: budgetFor(data)}
	w.path = w.room[:0]
	w.visit(s, &v)
	return w.violations
}

// voice is how a caller's messages sound.
type voice struct {
	root string
	// prefix is what paths below the root begin with.
	prefix  string
	number  string
	unknown func(path string, s *Schema) string
}

var (
	argumentVoice = &voice{
		root: "arguments", number: "must be a number", unknown: unknownProperty,
	}
	structuredVoice = &voice{
		root: "value", prefix: "value", number: "must be a finite number",
		unknown: func(path string, _ *Schema) string {
			return path + " is not a declared property (additionalProperties: false)"
		},
	}
)

// unknownProperty names the properties there are, so that the next try can be
// right.
func unknownProperty(path string, s *Schema) string {
	const most = 30
	if len(s.Properties) == 0 {
		return "unknown property " + path + " (there are no properties)"
	}
	names := make([]string, 0, most+1)
	for i, p := range s.Properties {
		if i == most {
			names = append(names, "…")
			break
		}
		names = append(names, clip(p.Name))
	}
	return "unknown property " + path + " (known: " + strings.Join(names, ", ") + ")"
}

// Bounds of one validation, so that hostile schemas end it soon.
const (
	maxNesting    = 1000
	maxViolations = 1000
)

// budgetFor is how many visits of a node the text data is worth: a schema
// whose references multiply could ask for 2 to the power of their number.
func budgetFor(data []byte) int { return 100_000 + 20*len(data) }

// walker checks one value. The path is kept as steps and becomes text only
// for a violation, so that a valid value costs no allocation here.
type walker struct {
	voice      *voice
	path       []step
	violations []Violation
	budget     int // visits left
	nesting    int
	room       [16]step
}

// step leads from a value to a part of it: to a member, or to an element when
// name is not set.
type step struct {
	name  *string
	index int
}

func (w *walker) enter(name *string, index int) { w.path = append(w.path, step{name, index}) }
func (w *walker) leave()                        { w.path = w.path[:len(w.path)-1] }

// where returns the path of the value at hand.
func (w *walker) where() string {
	if len(w.path) == 0 {
		return w.voice.root
	}
	b := []byte(w.voice.prefix)
	if w.path[0].name == nil {
		b = []byte(w.voice.root)
	}
	for _, s := range w.path {
		switch {
		case s.name == nil:
			b = append(strconv.AppendInt(append(b, '['), int64(s.index), 10), ']')
			continue
		case len(b) > 0:
			b = append(b, '.')
		}
		b = append(b, clip(*s.name)...)
	}
	return string(b)
}

// report records a violation whose message is the quoted path and rest.
func (w *walker) report(rest string) {
	path := w.where()
	w.add(path, quote(path)+" "+rest)
}

func (w *walker) add(path, message string) {
	if len(w.violations) < maxViolations {
		w.violations = append(w.violations, Violation{Path: path, Message: message})
	}
}

func quote(s string) string { return string(appendString(nil, s)) }

// visit checks v against s.
func (w *walker) visit(s *Schema, v *value) {
	if s == nil || len(w.violations) >= maxViolations {
		return
	}
	w.budget--
	if w.budget < 0 || w.nesting > maxNesting {
		w.exhausted()
		return
	}
	w.nesting++
	w.visit(s.target, v)
	if !s.allowsType(v) {
		w.report(w.typeMessage(s))
	} else {
		w.check(s, v)
	}
	w.nesting--
}

// exhausted refuses what cannot be checked within the bounds, once.
func (w *walker) exhausted() {
	const message = "is too deep or too complex to check"
	if n := len(w.violations); n == 0 || !strings.HasSuffix(w.violations[n-1].Message, message) {
		w.report(message)
	}
}

// typeMessage says which type was expected.
func (w *walker) typeMessage(s *Schema) string {
	message := w.typeText(s.Type)
	for _, t := range s.OrTypes {
		message += " or " + strings.TrimPrefix(w.typeText(t), "must be ")
	}
	return message
}

func (w *walker) typeText(name string) string {
	switch name {
	case "number":
		return w.voice.number
	case "null":
		return "must be null"
	case "object", "array", "integer":
		return "must be an " + name
	default:
		return "must be a " + name
	}
}

// check checks a value of the right type.
func (w *walker) check(s *Schema, v *value) {
	w.constants(s, v)
	switch v.kind {
	case textKind:
		w.text(s, v)
	case numberKind:
		w.number(s, v)
	case arrayKind:
		w.array(s, v)
	case objectKind:
		w.object(s, v)
	}
	w.combinations(s, v)
}

func (w *walker) constants(s *Schema, v *value) {
	if len(s.Enum) > 0 && !oneOf(s.Enum, v) {
		w.report("must be one of " + string(appendEnum(nil, s.Enum)))
	}
	if s.Const.set && !same(&s.Const.value, v) {
		w.report("must be " + s.Const.String())
	}
}

func oneOf(enum []Literal, v *value) bool {
	for i := range enum {
		if same(&enum[i].value, v) {
			return true
		}
	}
	return false
}
