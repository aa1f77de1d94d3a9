package presentation

// Icon returns a sign for kind, one column wide, for front ends that have
// nothing but text. Unknown kinds have that of KindOther.
func Icon(kind ToolCallKind) string {
	switch kind {
	case KindRead:
		return "→"
	case KindEdit:
		return "±"
	case KindDelete:
		return "×"
	case KindMove:
		return "»"
	case KindSearch:
		return "?"
	case KindExecute:
		return "$"
	case KindFetch:
		return "↓"
	}
	return "•"
}

// CallKind returns the kind that v's icon comes from: a terminal's is execute,
// a diff's edit unless it says otherwise, a generic card's other unless it does
// (seed 002, contract §5).
func CallKind(v CallView) ToolCallKind {
	kind := KindOther
	switch v := v.(type) {
	case *GenericCall:
		kind = orKind(v.Kind, KindOther)
	case *TerminalCall:
		kind = KindExecute
	case *DiffCall:
		kind = orKind(v.Kind, KindEdit)
	}
	return kind
}

// orKind returns kind, or otherwise if it is empty.
func orKind(kind, otherwise ToolCallKind) ToolCallKind {
	if kind == "" {
		return otherwise
	}
	return kind
}
