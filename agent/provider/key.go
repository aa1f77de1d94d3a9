package provider

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"
)

// commandTimeout bounds a command that prints a key: it may ask its user.
const commandTimeout = 2 * time.Minute

// Source says where a key comes from; the first field that is set counts.
type Source struct {
	// Value is the key itself, and Holder the configuration file that it stands
	// in, "" for none.
	Value, Holder string
	// Command prints the key on its first line. Its words are not read by a
	// shell.
	Command []string
	// File holds the key on its first line; nobody else may read it.
	File string
	// Variable is the environment variable that holds it.
	Variable string
	// Optional says that the server may want no key at all.
	Optional bool
}

// Key is a key that is fetched when it is needed first. Safe for concurrent
// use; Close ends what fetches it.
type Key struct {
	source Source
	// life ends with Close, which waits for work.
	life context.Context
	end  context.CancelFunc
	work sync.WaitGroup

	mu       sync.Mutex
	value    string
	known    bool
	out      bool      // the user has logged out
	fetching *fetching // nil for none
	// seen are all keys that were ever given out, for Redact.
	seen []string
}

// fetching is one fetch of the key, for all that wait for it. It ends when
// nobody does.
type fetching struct {
	cancel  context.CancelFunc
	waiting int           // guarded by Key.mu
	done    chan struct{} // closed when what follows is set for good
	value   string
	err     error
}

// NewKey returns the key of s; it fetches nothing.
func NewKey(s Source) *Key {
	k := &Key{source: s}
	k.life, k.end = context.WithCancel(context.Background())
	return k
}

// Close ends a fetch that runs, and waits for it.
func (k *Key) Close() {
	k.end()
	k.work.Wait()
}

// errLoggedOut is why there is no key after LogOut.
var errLoggedOut = errors.New("you have logged out; log in to use the key again")

// Get returns the key, "" where the server may want none. An error says where a
// key can be put, and holds none; the end of ctx comes back as its cause.
func (k *Key) Get(ctx context.Context) (string, error) {
	k.mu.Lock()
	switch {
	case k.out:
		k.mu.Unlock()
		return "", errLoggedOut
	case k.known:
		defer k.mu.Unlock()
		return k.value, nil
	}
	f := k.fetch()
	k.mu.Unlock()
	defer k.leave(f)
	select {
	case <-f.done:
		return f.value, f.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// fetch joins the fetch that runs, or starts one; mu is held.
func (k *Key) fetch() *fetching {
	if f := k.fetching; f != nil {
		f.waiting++
		return f
	}
	ctx, cancel := context.WithTimeout(k.life, commandTimeout)
	f := &fetching{cancel: cancel, waiting: 1, done: make(chan struct{})}
	k.fetching = f
	k.work.Go(func() {
		f.value, f.err = k.source.fetch(ctx)
		k.fetched(f)
		close(f.done)
	})
	return f
}

// fetched keeps what a fetch has brought.
func (k *Key) fetched(f *fetching) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if f.err == nil && f.value != "" {
		k.seen = append(k.seen, f.value)
	}
	if k.fetching != f {
		return
	}
	k.fetching = nil
	if f.err == nil {
		k.value, k.known = f.value, true
	}
}

// leave ends a fetch that nobody waits for any more.
func (k *Key) leave(f *fetching) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if f.waiting--; f.waiting > 0 {
		return
	}
	f.cancel()
	if k.fetching == f {
		k.fetching = nil
	}
}

// Forget makes the next Get fetch the key again, after the server refused it.
func (k *Key) Forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.value, k.known = "", false
}

// LogOut makes every Get fail until LogIn.
func (k *Key) LogOut() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.value, k.known, k.out, k.fetching = "", false, true, nil
}

// LogIn makes the next Get fetch the key again.
func (k *Key) LogIn() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.value, k.known, k.out = "", false, false
}

// Redact takes the key out of a text.
func (k *Key) Redact(text string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, key := range k.seen {
		text = strings.ReplaceAll(text, key, "[key]")
	}
	return text
}

// fetch reads the key from where it is.
func (s Source) fetch(ctx context.Context) (string, error) {
	switch {
	case s.Value != "":
		if s.Holder != "" {
			if err := private(s.Holder); err != nil {
				return "", err
			}
		}
		return s.Value, nil
	case len(s.Command) > 0:
		return run(ctx, s.Command)
	case s.File != "":
		if err := private(s.File); err != nil {
			return "", err
		}
		text, err := os.ReadFile(s.File)
		if err != nil {
			return "", fmt.Errorf("the key's file: %w", err)
		}
		return firstLine(text, s.File)
	}
	if value := os.Getenv(s.Variable); s.Variable != "" && value != "" {
		return value, nil
	}
	if s.Optional {
		return "", nil
	}
	return "", errors.New("there is no key")
}

// private refuses a file that others can read, as ssh does.
func private(file string) error {
	info, err := os.Stat(file)
	if err != nil {
		return fmt.Errorf("the key's file: %w", err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s holds a key and others can read it (mode %04o): run chmod 600 on it", file, info.Mode().Perm())
	}
	return nil
}

// run returns what a command prints. What it says besides is not shown: it
// might be the key.
func run(ctx context.Context, command []string) (string, error) {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = errors.New(exit.String())
		}
		return "", fmt.Errorf("the key's command %q failed: %w; run it in a terminal to see why", command[0], err)
	}
	return firstLine(out, command[0])
}

// firstLine returns the first line of text, which came from somewhere.
func firstLine(text []byte, from string) (string, error) {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	key := strings.TrimSpace(string(line))
	if key == "" {
		return "", fmt.Errorf("%s gives no key: its first line is empty", from)
	}
	return key, nil
}
