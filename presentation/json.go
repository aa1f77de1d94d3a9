package presentation

// MarshalCallView encodes v with its "card" tag; nil gives null.
func MarshalCallView(v CallView) ([]byte, error) { panic("stub") }

// UnmarshalCallView decodes a tagged call view. An unknown tag, which only an
// old or newer log can hold, becomes a GenericCall with the title found.
func UnmarshalCallView(data []byte) (CallView, error) { panic("stub") }

// MarshalResultView encodes v with its "card" tag; nil gives null.
func MarshalResultView(v ResultView) ([]byte, error) { panic("stub") }

// UnmarshalResultView decodes a tagged result view, see UnmarshalCallView.
func UnmarshalResultView(data []byte) (ResultView, error) { panic("stub") }
