package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// checkedFile is an output that remembers its first failure, for a command that
// prints without looking: what it said was not said then.
type checkedFile struct {
	*os.File
	err error
}

// Write writes p.
func (c *checkedFile) Write(p []byte) (int, error) {
	n, err := c.File.Write(p)
	if c.err == nil {
		c.err = err
	}
	return n, err
}

// failure is the exit status of a broken output, nil for a whole one.
func (c *checkedFile) failure() error { return outputFailure(c.err) }

// outputFailure is the exit status of a write that failed with err. That a
// reader such as head has left needs no words.
func outputFailure(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.EPIPE):
		return &exitError{code: exitFailed}
	}
	return &exitError{exitFailed, fmt.Errorf("write the output: %w", err)}
}

// output is where a turn is shown. When nobody can read it any more the turn
// ends as by an interrupt, instead of the program alone.
type output struct {
	w   io.Writer
	end context.CancelCauseFunc

	mu  sync.Mutex
	err error
}

// watchOutput returns w as an output and a context that ends when it breaks.
func watchOutput(ctx context.Context, w io.Writer) (*output, context.Context) {
	// A caught signal, unlike an ignored one, is not inherited by commands.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ctx, end := context.WithCancelCause(ctx)
	return &output{w: w, end: end}, ctx
}

// Write writes p; after the first failure it drops everything.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		if _, o.err = o.w.Write(p); o.err != nil {
			o.end(o.err)
		}
	}
	return len(p), nil
}

// failure is the exit status of a broken output, nil for a whole one.
func (o *output) failure() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return outputFailure(o.err)
}
