package schema

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxDepth is how deep arrays and objects may nest; a scalar has depth 0.
const MaxDepth = 200

// kind is the kind of a JSON value.
type kind uint8

const (
	nullKind kind = iota
	boolKind
	numberKind
	textKind
	arrayKind
	objectKind
)

// value is one decoded JSON value. Strings share the memory of the source
// where they have no escapes, so a value costs few allocations.
type value struct {
	kind kind
	// escaped says that text is the raw content of a string, with its escapes.
	escaped bool
	// key is the name of the value as a member of an object.
	key string
	// text is the content of a string, or the literal of a number or boolean.
	text string
	// list holds elements or members in the order of the source.
	list []value
}

// content returns the content of a string.
func (v *value) content() string {
	if v.escaped {
		return unescape(v.text)
	}
	return v.text
}

// member returns the member of an object, nil when there is none.
func (v *value) member(name string) *value {
	for i := range v.list {
		if v.list[i].key == name {
			return &v.list[i]
		}
	}
	return nil
}

// SyntaxError says why a text is not one lossless JSON value.
type SyntaxError struct {
	// Offset is where, in bytes from the start.
	Offset int
	// Path leads to the innermost value around the fault, "" for the root.
	Path   string
	Reason string
}

// Error returns the reason with its place.
func (e *SyntaxError) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("%s at offset %d", e.Reason, e.Offset)
	}
	return fmt.Sprintf("%s at offset %d, in %q", e.Reason, e.Offset, e.Path)
}

// within puts a step in front of the path of err.
func (e *SyntaxError) within(segment string) *SyntaxError {
	if e.Path != "" && e.Path[0] != '[' {
		segment += "."
	}
	e.Path = segment + e.Path
	return e
}

// Lossless checks that data is one JSON value that survives decoding
// (tools.md §3.4.1, §5.B.3): valid UTF-8 without lone surrogates, no duplicate
// keys, at most MaxDepth levels, no negative zero, no number that a float64
// would turn into infinity or zero, nothing after the value. Integers of any
// precision are accepted: who decodes them keeps them as json.Number. The
// error is a *SyntaxError.
func Lossless(data []byte) error {
	if _, err := decode(string(data), rawStrings); err != nil {
		return err
	}
	return nil
}

// mode says how decode reads; 0 is strict and whole.
type mode uint8

const (
	// anyNumbers accepts the whole grammar of numbers, also those that do not
	// survive decoding; the walker judges a number at its path.
	anyNumbers mode = 1 << iota
	// rawStrings checks the escapes of a string and leaves them in, so that a
	// long one, such as the content of a file, is not copied; see content.
	rawStrings
)

// decode returns the one value of src. The error is a *SyntaxError.
func decode(src string, m mode) (value, error) {
	if i := invalidUTF8(src); i >= 0 {
		return value{}, &SyntaxError{Offset: i, Reason: "invalid UTF-8"}
	}
	d := decoder{src: src, mode: m}
	d.stack = d.room[:0]
	v, err := d.value()
	if err != nil {
		return value{}, err
	}
	if d.space(); d.pos < len(src) {
		return value{}, d.fail("more text after the JSON value")
	}
	return v, nil
}

// invalidUTF8 returns the offset of the first invalid byte, -1 for none.
func invalidUTF8(s string) int {
	if utf8.ValidString(s) {
		return -1
	}
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// decoder reads JSON by recursive descent, no deeper than MaxDepth.
type decoder struct {
	src   string
	pos   int
	depth int
	mode  mode
	// stack collects the children of all open containers; each container
	// copies its own out when it closes.
	stack []value
	room  [24]value
}

func (d *decoder) fail(reason string) *SyntaxError {
	if d.pos >= len(d.src) {
		reason = "unexpected end of JSON"
	}
	return &SyntaxError{Offset: d.pos, Reason: reason}
}

func (d *decoder) space() {
	for d.pos < len(d.src) {
		switch d.src[d.pos] {
		case ' ', '\t', '\n', '\r':
			d.pos++
		default:
			return
		}
	}
}

// peek returns the next byte, 0 at the end.
func (d *decoder) peek() byte {
	if d.pos < len(d.src) {
		return d.src[d.pos]
	}
	return 0
}

// value reads one value.
func (d *decoder) value() (v value, err *SyntaxError) {
	d.space()
	switch c := d.peek(); {
	case c == '"':
		v.kind = textKind
		v.text, v.escaped, err = d.text()
	case c == '{':
		v.kind = objectKind
		v.list, err = d.members()
	case c == '[':
		v.kind = arrayKind
		v.list, err = d.elements()
	case c == '-' || '0' <= c && c <= '9':
		v.kind = numberKind
		v.text, err = d.number()
	case c == 't':
		v.kind = boolKind
		v.text, err = d.word("true")
	case c == 'f':
		v.kind = boolKind
		v.text, err = d.word("false")
	case c == 'n':
		v.kind = nullKind
		v.text, err = d.word("null")
	default:
		err = d.fail("expected a JSON value")
	}
	return v, err
}

// text reads a string, in its raw form where the mode allows that.
func (d *decoder) text() (text string, escaped bool, err *SyntaxError) {
	if d.mode&rawStrings != 0 {
		return d.rawString()
	}
	text, err = d.string()
	return text, false, err
}

func (d *decoder) word(w string) (string, *SyntaxError) {
	if !strings.HasPrefix(d.src[d.pos:], w) {
		return "", d.fail("expected a JSON value")
	}
	d.pos += len(w)
	return w, nil
}

func (d *decoder) elements() ([]value, *SyntaxError) {
	start, err := d.open()
	for err == nil && !d.closed(']') {
		if err = d.comma(start, ']'); err != nil {
			return nil, err
		}
		var v value
		if v, err = d.value(); err != nil {
			return nil, err.within(fmt.Sprintf("[%d]", len(d.stack)-start))
		}
		d.stack = append(d.stack, v)
	}
	return d.pop(start), err
}

func (d *decoder) members() ([]value, *SyntaxError) {
	start, err := d.open()
	for err == nil && !d.closed('}') {
		if err = d.comma(start, '}'); err != nil {
			return nil, err
		}
		var key string
		if key, err = d.key(); err != nil {
			return nil, err
		}
		var v value
		if v, err = d.value(); err != nil {
			return nil, err.within(clip(key))
		}
		v.key = key
		d.stack = append(d.stack, v)
	}
	list := d.pop(start)
	if err == nil {
		err = d.distinct(list)
	}
	return list, err
}

// open enters a container; start is where its children will lie on the stack.
func (d *decoder) open() (start int, err *SyntaxError) {
	if d.depth == MaxDepth {
		return 0, d.fail(fmt.Sprintf("nested deeper than %d levels", MaxDepth))
	}
	d.depth++
	d.pos++
	return len(d.stack), nil
}

// closed leaves the container if its closing byte is next.
func (d *decoder) closed(closing byte) bool {
	if d.space(); d.peek() != closing {
		return false
	}
	d.pos++
	d.depth--
	return true
}

// comma reads what separates a child from the one before it.
func (d *decoder) comma(start int, closing byte) *SyntaxError {
	if len(d.stack) == start {
		return nil
	}
	if d.peek() != ',' {
		return d.fail(fmt.Sprintf("expected ',' or '%c'", closing))
	}
	d.pos++
	return nil
}

// pop moves the children of a container off the stack.
func (d *decoder) pop(start int) []value {
	list := append([]value(nil), d.stack[start:]...)
	d.stack = d.stack[:start]
	return list
}

// key reads the name of a member and its colon.
func (d *decoder) key() (string, *SyntaxError) {
	if d.space(); d.peek() != '"' {
		return "", d.fail("expected a member name in double quotes")
	}
	key, err := d.string()
	if err != nil {
		return "", err
	}
	if d.space(); d.peek() != ':' {
		return "", d.fail("expected ':'")
	}
	d.pos++
	return key, nil
}

// few is the number of members up to which comparing all pairs is cheaper
// than a map.
const few = 12

// distinct refuses duplicate keys: decoders disagree about which one counts.
func (d *decoder) distinct(members []value) *SyntaxError {
	if len(members) > few {
		return d.distinctMany(members)
	}
	for i := range members {
		for j := range i {
			if members[i].key == members[j].key {
				return d.duplicate(members[i].key)
			}
		}
	}
	return nil
}

func (d *decoder) distinctMany(members []value) *SyntaxError {
	seen := make(map[string]struct{}, len(members))
	for i := range members {
		if _, ok := seen[members[i].key]; ok {
			return d.duplicate(members[i].key)
		}
		seen[members[i].key] = struct{}{}
	}
	return nil
}

// duplicate is reported at the end of the object that has the key twice.
func (d *decoder) duplicate(key string) *SyntaxError {
	return &SyntaxError{Offset: d.pos - 1, Reason: fmt.Sprintf("duplicate key %q", clip(key))}
}
