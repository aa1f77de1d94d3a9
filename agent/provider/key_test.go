package provider

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func keyFile(t *testing.T, text string, mode os.FileMode) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, mode); err != nil {
		t.Fatal(err)
	}
	return file
}

// printing makes the test binary print a text and end with a code.
func printing(t *testing.T, text, code string) []string {
	t.Helper()
	t.Setenv("AGENT_TEST_PRINT", text)
	t.Setenv("AGENT_TEST_CODE", code)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return []string{exe, "print the key"}
}

// TestMain is the command that prints a key, or the tests.
func TestMain(m *testing.M) {
	if text, ok := os.LookupEnv("AGENT_TEST_PRINT"); ok && len(os.Args) == 2 && os.Args[1] == "print the key" {
		if dir := os.Getenv("AGENT_TEST_WAIT"); dir != "" {
			if os.WriteFile(filepath.Join(dir, "begun"), nil, 0o600) != nil {
				os.Exit(4)
			}
			await(filepath.Join(dir, "end"))
		}
		os.Stdout.WriteString(text)
		os.Stderr.WriteString(text)
		if os.Getenv("AGENT_TEST_CODE") != "0" {
			os.Exit(3)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestWhereKeysComeFrom(t *testing.T) {
	t.Setenv("TEST_PROVIDER_KEY", "from-the-environment")
	for _, tc := range []struct {
		name string
		s    Source
		want string
	}{
		{"value", Source{Value: "v", Variable: "TEST_PROVIDER_KEY"}, "v"},
		{"value of a private file", Source{Value: "v", Holder: keyFile(t, "", 0o600)}, "v"},
		{"command", Source{Command: printing(t, "from-a-command\nmore\n", "0"), Variable: "TEST_PROVIDER_KEY"}, "from-a-command"},
		{"file", Source{File: keyFile(t, "from-a-file\r\n", 0o600), Variable: "TEST_PROVIDER_KEY"}, "from-a-file"},
		{"variable", Source{Variable: "TEST_PROVIDER_KEY"}, "from-the-environment"},
		{"none needed", Source{Variable: "TEST_NO_SUCH_KEY", Optional: true}, ""},
	} {
		if got, err := NewKey(tc.s).Get(context.Background()); err != nil || got != tc.want {
			t.Errorf("%s: %q, %v", tc.name, got, err)
		}
	}
}

func TestKeysThatAreNotThere(t *testing.T) {
	open := keyFile(t, "hidden-key", 0o644)
	for _, tc := range []struct {
		name string
		s    Source
		want string
		unix bool
	}{
		{"nowhere", Source{Variable: "TEST_NO_SUCH_KEY"}, "there is no key", false},
		{"a file that others read", Source{File: open}, "chmod 600", true},
		{"a configuration that others read", Source{Value: "hidden-key", Holder: open}, "chmod 600", true},
		{"a file that is not there", Source{File: filepath.Join(t.TempDir(), "gone")}, "gone", false},
		{"an empty file", Source{File: keyFile(t, "\n", 0o600)}, "first line is empty", false},
		{"a command that fails", Source{Command: printing(t, "hidden-key", "3")}, "failed: exit status 3", false},
		{"a command that is not there", Source{Command: []string{"no-such-command-here"}}, "no-such-command-here", false},
	} {
		if tc.unix && runtime.GOOS == "windows" {
			continue
		}
		got, err := NewKey(tc.s).Get(context.Background())
		if err == nil || got != "" || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "hidden-key") {
			t.Errorf("%s: %q, %v", tc.name, got, err)
		}
	}
}

func TestARefusedKeyIsFetchedAgain(t *testing.T) {
	file := keyFile(t, "old-key", 0o600)
	k := NewKey(Source{File: file})
	get := func(want string) {
		t.Helper()
		if got, err := k.Get(context.Background()); err != nil || got != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
	get("old-key")
	if err := os.WriteFile(file, []byte("new-key"), 0o600); err != nil {
		t.Fatal(err)
	}
	get("old-key")
	k.Forget()
	get("new-key")
	if got := k.Redact("old-key, new-key"); got != "[key], [key]" {
		t.Errorf("redacted %q", got)
	}
}
