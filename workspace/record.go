package workspace

// Recorder is told of the changes that a view makes, and can refuse them: it
// keeps what files were before, and what became of them.
type Recorder interface {
	// Changing is called when changes are about to be made, with the queues of
	// their files held. files are as they are now, each once, those that a move
	// leads to included. An error refuses the changes. done, which may be nil,
	// is called before the queues are released, with what became of the changes,
	// nothing when they failed.
	Changing(files []Handle) (done func([]Applied), err error)
}

// RecordedBy returns a view that shares everything with v and tells r of its
// changes; nil tells nobody.
func (v *View) RecordedBy(r Recorder) *View {
	return &View{state: v.state, limit: v.limit, recorder: r}
}

// recording tells the recorder what is about to change.
func (b *batch) recording() (done func([]Applied), err error) {
	done = func([]Applied) {}
	if b.v.recorder == nil {
		return done, nil
	}
	var files []Handle
	for _, s := range b.steps {
		if !s.unchanged() {
			files = append(files, s.before)
		}
	}
	if len(files) == 0 {
		return done, nil
	}
	told, err := b.v.recorder.Changing(files)
	if told != nil {
		done = told
	}
	return done, err
}
