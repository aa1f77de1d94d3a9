package presentation

import (
	"testing"
	"unicode/utf8"
)

func TestIconsAreOneColumnAndDiffer(t *testing.T) {
	seen := make(map[string]ToolCallKind)
	for _, kind := range []ToolCallKind{KindRead, KindEdit, KindDelete, KindMove, KindSearch, KindExecute, KindFetch, KindOther} {
		icon := Icon(kind)
		if utf8.RuneCountInString(icon) != 1 {
			t.Errorf("the icon of %s is %q", kind, icon)
		}
		if other, ok := seen[icon]; ok {
			t.Errorf("%s and %s have the icon %q", kind, other, icon)
		}
		seen[icon] = kind
	}
	if Icon("") != Icon(KindOther) || Icon("think") != Icon(KindOther) {
		t.Error("unknown kinds have another icon than other")
	}
}

func TestCallKind(t *testing.T) {
	tests := []struct {
		view CallView
		want ToolCallKind
	}{
		{nil, KindOther},
		{&GenericCall{}, KindOther},
		{&GenericCall{Kind: KindSearch}, KindSearch},
		{&TerminalCall{}, KindExecute},
		{&DiffCall{}, KindEdit},
		{&DiffCall{Kind: KindDelete}, KindDelete},
	}
	for _, tt := range tests {
		if got := CallKind(tt.view); got != tt.want {
			t.Errorf("CallKind(%#v) = %s, want %s", tt.view, got, tt.want)
		}
	}
}
