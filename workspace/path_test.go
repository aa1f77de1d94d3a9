package workspace

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestAbs(t *testing.T) {
	needsUnix(t)
	tests := []struct{ in, want string }{
		{"a.go", "/w/a.go"},
		{"./a/../b.go", "/w/b.go"},
		{"../x", "/x"},
		{"/etc/hosts", "/etc/hosts"},
		{"/a//b/./c/..", "/a/b"},
		{"~", "/home/u"},
		{"~/x", "/home/u/x"},
		{"~user/x", "/w/~user/x"},
		{"a~", "/w/a~"},
		{"@src/a.go", "/w/src/a.go"},
		{"@/etc/hosts", "/etc/hosts"},
		{"@~/x", "/home/u/x"},
		{"a@b", "/w/a@b"},
		{"with space.txt", "/w/with space.txt"},
		{" lead", "/w/ lead"},
		{"ünïcode/文件", "/w/ünïcode/文件"},
		{"file:///a/b%20c", "/a/b c"},
		{"file:///a/b#L10", "/a/b"},
		{"file:///a/b?x=1", "/a/b"},
		{"file:///a/b%23c", "/a/b#c"},
		{"file://localhost/a", "/a"},
		{"FILE:///a", "/a"},
		{"file:/a", "/a"},
		{"file:rel", "/w/rel"},
		{"@file:///a", "/a"},
		{"file:///a/%E6%96%87", "/a/文"},
		{`\\wsl.localhost\Ubuntu\home\x`, "/home/x"},
		{`\\wsl$\Ubuntu\home\x`, "/home/x"},
		{`//wsl.localhost/x`, "/wsl.localhost/x"},
		{"file://wsl.localhost/Ubuntu/home/x", "/home/x"},
		{`a\b`, `/w/a\b`},
		{"c:d", "/w/c:d"},
	}
	for _, test := range tests {
		got, err := absolute(test.in, "/w", "/home/u")
		if err != nil || got != test.want {
			t.Errorf("Abs(%q) = %q, %v, want %q", test.in, got, err, test.want)
		}
	}
}

func TestAbsRefuses(t *testing.T) {
	needsUnix(t)
	for _, in := range []string{
		"", "@", "file:", "file://", "file://host", "a\x00b", "file:///a%00b", "file:///%zz", "file://h%zz/a",
		"https://example.org/x", "vscode-remote+ssh://h/x", `C:\w`, "c:/w", `\\server\share\x`, `\\?\C:\w`,
		"file:///c:/w", "file://c:/w", "file://server/share",
	} {
		got, err := absolute(in, "/w", "/home/u")
		if err == nil {
			t.Errorf("Abs(%q) = %q, want an error", in, got)
			continue
		}
		wantCode(t, err, FSInvalidPath)
	}
	_, err := absolute("rel", "", "/home/u")
	wantCode(t, err, FSInvalidPath)
	_, err = absolute("~/x", "/w", "")
	wantCode(t, err, FSInvalidPath)
	if got, err := absolute("/x", "", ""); err != nil || got != "/x" {
		t.Errorf("an absolute path needs neither: %q, %v", got, err)
	}
}

func TestViewAbsUsesCwdAndHome(t *testing.T) {
	v := New(Options{Home: filepath.FromSlash("/home/u")}).View(ViewOptions{Cwd: realTemp(t)})
	got, err := v.Abs("a.go")
	must(t, err)
	if got != filepath.Join(v.Cwd(), "a.go") {
		t.Errorf("Abs = %q", got)
	}
	if got, err = v.Abs("~"); err != nil || filepath.ToSlash(got) != "/home/u" {
		t.Errorf("Abs(~) = %q, %v", got, err)
	}
}

// TestWindowsPath is the table of field report 19.
func TestWindowsPath(t *testing.T) {
	tests := []struct{ in, shown, key string }{
		{`\\?\C:\w`, `C:\w`, `c:\w`},
		{`c:\W`, `C:\W`, `c:\w`},
		{`C:\w\`, `C:\w\`, `c:\w`},
		{`C:/w/a`, `C:\w\a`, `c:\w\a`},
		{`/c:/w`, `C:\w`, `c:\w`},
		{`\??\c:\w`, `C:\w`, `c:\w`},
		{`\\wsl.localhost\U\x`, `\\wsl.localhost\U\x`, `\\wsl.localhost\u\x`},
		{`\\wsl$\U\x`, `\\wsl.localhost\U\x`, `\\wsl.localhost\u\x`},
		{`\\WSL.LOCALHOST\u\x`, `\\wsl.localhost\u\x`, `\\wsl.localhost\u\x`},
		{`\\?\UNC\wsl.localhost\U\x`, `\\wsl.localhost\U\x`, `\\wsl.localhost\u\x`},
		{`\\wsl.localhost\U\X`, `\\wsl.localhost\U\X`, `\\wsl.localhost\u\X`},
		{`\\wsl.localhost\U`, `\\wsl.localhost\U`, `\\wsl.localhost\u`},
		{`\\Server\Share\X`, `\\Server\Share\X`, `\\server\share\x`},
		{`\\?\unc\server\share`, `\\server\share`, `\\server\share`},
		{`//server/share`, `\\server\share`, `\\server\share`},
		{`rel\x`, `rel\x`, `rel\x`},
		{``, ``, ``},
	}
	for _, test := range tests {
		if got := windowsPath(test.in); got != test.shown {
			t.Errorf("windowsPath(%q) = %q, want %q", test.in, got, test.shown)
		}
		if got := windowsKey(test.in); got != test.key {
			t.Errorf("windowsKey(%q) = %q, want %q", test.in, got, test.key)
		}
		if strings.Contains(windowsPath(test.in), `\\?\`) {
			t.Errorf("windowsPath(%q) shows the prefix", test.in)
		}
	}
}

func FuzzAbs(f *testing.F) {
	for _, seed := range []string{
		"a", "../..", "~", "@~/x", "file:///a%20b#c", "file://h/x", `\\?\C:\w`, `\\wsl$\U\x`, "C:", "\x00", "://", "file:%",
	} {
		f.Add(seed)
	}
	cwd, home := "/w", "/home/u"
	if runtime.GOOS == "windows" {
		cwd, home = `C:\w`, `C:\home`
	}
	f.Fuzz(func(t *testing.T, in string) {
		got, err := absolute(in, cwd, home)
		if err != nil {
			wantCode(t, err, FSInvalidPath)
			return
		}
		if !filepath.IsAbs(got) || got != filepath.Clean(got) || strings.ContainsRune(got, 0) {
			t.Fatalf("Abs(%q) = %q, not a clean absolute path", in, got)
		}
		key := windowsKey(in)
		if again := windowsKey(windowsPath(in)); again != key {
			t.Fatalf("windowsKey(%q) = %q, of its plain spelling %q", in, key, again)
		}
	})
}
