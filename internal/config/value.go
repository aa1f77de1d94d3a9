package config

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/agent-ls/agent-ls/internal/nearest"
)

// base is what relative paths of one source start at.
type base struct{ dir, home string }

// path makes a path absolute; "" stays.
func (b base) path(s string) string {
	if s == "~" || strings.HasPrefix(s, "~/") {
		return filepath.Join(b.home, s[1:])
	}
	if s == "" || filepath.IsAbs(s) || b.dir == "" {
		return s
	}
	return filepath.Join(b.dir, s)
}

// fromText converts the text of a flag or variable.
func (k *Key) fromText(s string, b base) (any, error) {
	switch k.Kind {
	case Switch:
		v, err := strconv.ParseBool(s)
		if err != nil {
			return nil, fmt.Errorf("%q is neither true nor false", s)
		}
		return v, nil
	case Count, Seconds:
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return nil, k.unit(fmt.Errorf("%q is not a whole number", s))
		}
		return k.number(n)
	case Texts:
		var list []string
		for _, part := range strings.Split(s, ",") {
			if part = strings.TrimSpace(part); part != "" {
				list = append(list, part)
			}
		}
		return list, nil
	}
	return k.from(s, b, Origin{})
}

// from converts a decoded value of a file or of editor settings.
func (k *Key) from(v any, b base, at Origin) (any, error) {
	switch k.Kind {
	case Text, Choice, Path:
		s, ok := v.(string)
		if !ok {
			return nil, wrongType("a text", v)
		}
		return k.text(s, b)
	case Switch:
		if v, ok := v.(bool); ok {
			return v, nil
		}
		return nil, wrongType("true or false", v)
	case Count, Seconds:
		n, ok := whole(v)
		if !ok {
			return nil, k.unit(wrongType("a whole number", v))
		}
		return k.number(n)
	case Size:
		return k.size(v)
	case Texts:
		return texts(v)
	case Rules:
		return rules(v, at)
	case Agents:
		return agents(v)
	case Providers:
		return providers(v, b)
	}
	return nil, fmt.Errorf("no value is possible here")
}

func (k *Key) text(s string, b base) (any, error) {
	if k.Kind == Path {
		return b.path(s), nil
	}
	if file, ok := strings.CutPrefix(s, k.PathAfter); ok && k.PathAfter != "" && file != "" {
		return k.PathAfter + b.path(file), nil
	}
	if k.Kind == Choice && indexOf(k.Values, s) < 0 {
		return nil, fmt.Errorf("%q is not one of %s; did you mean %q?", s, strings.Join(k.Values, ", "), nearest.Of(s, k.Values))
	}
	return s, nil
}

// unit says in an error what a number counts, where that is no plain count.
func (k *Key) unit(err error) error {
	if k.Kind == Seconds {
		return fmt.Errorf("%w; write seconds, such as 300", err)
	}
	return err
}

// maxSeconds keeps a duration within its type.
const maxSeconds = int64(math.MaxInt64 / time.Second)

func (k *Key) number(n int64) (any, error) {
	if n < 0 {
		return nil, fmt.Errorf("%d is negative", n)
	}
	if n < k.Least {
		return nil, fmt.Errorf("%d is too small; the least is %d", n, k.Least)
	}
	if k.Kind == Seconds {
		if n > maxSeconds {
			return nil, fmt.Errorf("%d seconds are too many", n)
		}
		return time.Duration(n) * time.Second, nil
	}
	if n > math.MaxInt32 {
		return nil, fmt.Errorf("%d is too large", n)
	}
	return int(n), nil
}

// whole returns the integer in a number of TOML or JSON.
func whole(v any) (int64, bool) {
	switch n := v.(type) {
	case int64:
		return n, true
	case int:
		return int64(n), true
	case float64:
		if n == math.Trunc(n) && math.Abs(n) < 1<<53 {
			return int64(n), true
		}
	}
	return 0, false
}

var sizeUnits = []struct {
	suffix string
	factor int64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"", 1}}

// size reads bytes, as many as the key takes at least.
func (k *Key) size(v any) (any, error) {
	n, err := size(v)
	if err == nil && n < k.Least {
		return nil, fmt.Errorf("%d bytes are too few; the least is %d", n, k.Least)
	}
	return n, err
}

// size reads bytes: a number, or a text with a unit.
func size(v any) (int64, error) {
	s, isText := v.(string)
	if !isText {
		n, ok := whole(v)
		if !ok {
			return 0, wrongType(`bytes, or a text such as "64 MiB"`, v)
		}
		s = strconv.FormatInt(n, 10)
	}
	for _, u := range sizeUnits {
		digits, ok := strings.CutSuffix(s, u.suffix)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
		if err != nil || n < 0 || n > math.MaxInt64/u.factor {
			break
		}
		return n * u.factor, nil
	}
	return 0, fmt.Errorf("%q is no size; write bytes, or a number with KiB, MiB or GiB", s)
}

func texts(v any) ([]string, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, wrongType("a list of texts", v)
	}
	out := make([]string, len(list))
	for i, item := range list {
		if out[i], ok = item.(string); !ok {
			return nil, wrongType("a list of texts", item)
		}
	}
	return out, nil
}

// members checks the members of a table against the allowed names, spelled in
// snake case.
func members(v any, allowed ...string) (map[string]any, error) {
	table, ok := v.(map[string]any)
	if !ok {
		return nil, wrongType("a table with "+strings.Join(allowed, ", "), v)
	}
	for name := range table {
		if indexOf(allowed, name) < 0 {
			return nil, &memberError{"." + name, fmt.Errorf("unknown member %q; did you mean %q?", name, nearest.Of(name, allowed))}
		}
	}
	return table, nil
}

// member takes one optional member of a table.
func member[T any](table map[string]any, name string) (T, error) {
	var zero T
	v, ok := table[name]
	if !ok {
		return zero, nil
	}
	t, ok := v.(T)
	if !ok {
		return zero, named(name, wrongType(typeName(any(zero)), v))
	}
	return t, nil
}

func wrongType(want string, got any) error {
	return fmt.Errorf("must be %s, not %s", want, typeName(got))
}

func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case string:
		return "a text"
	case bool:
		return "true or false"
	case float64:
		if _, ok := whole(v); !ok {
			return "a fraction"
		}
		return "a number"
	case int, int64:
		return "a number"
	case []any, []map[string]any:
		return "a list"
	case map[string]any:
		return "a table"
	case time.Time:
		return "a date"
	}
	return fmt.Sprintf("%T", v)
}
