package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// place is a path at one moment: what it was called and what it means.
type place struct {
	abs  string // as asked, absolute
	real string // symbolic links resolved
	root string // the real root that holds real; "" when outside
	link bool   // the last element of abs is a symbolic link
}

// inside reports whether the place is inside the roots.
func (p place) inside() bool { return p.root != "" }

// name is what the file is called in its folder; the top of a file system is
// in itself.
func (p place) name() string {
	if filepath.Dir(p.real) == p.real {
		return "."
	}
	return filepath.Base(p.real)
}

// Resolve returns the real path: symlinks of the file or of its deepest
// existing ancestor resolved, those of a link to a missing file too. inside
// says whether that is inside the real roots. Links through /proc are never
// inside: their text does not say where they lead. A cycle of links is an
// error.
func (v *View) Resolve(path string) (real string, inside bool, err error) {
	p, err := v.locate(path)
	return p.real, p.inside(), err
}

// locate resolves a path as a tool got it.
func (v *View) locate(path string) (place, error) {
	abs, err := v.Abs(path)
	if err != nil {
		return place{}, err
	}
	found, err := followLinks(abs)
	if err != nil {
		return place{}, wrap("resolve", abs, err)
	}
	p := place{abs: abs, real: found.real, link: found.link}
	if !found.magic {
		p.root = holder(v.realRoots, found.real)
	}
	return p, v.permit(p.abs, p.real)
}

// holder returns the root that holds path, "" when none does.
func holder(roots []string, path string) string {
	for _, root := range roots {
		if within(root, path) {
			return root
		}
	}
	return ""
}

// within reports whether path is root or below it; both are clean.
func within(root, path string) bool {
	if len(path) < len(root) || !samePath(path[:len(root)], root) {
		return false
	}
	return len(path) == len(root) || os.IsPathSeparator(path[len(root)]) || os.IsPathSeparator(root[len(root)-1])
}

// maxLinks is how many symbolic links one path may lead through.
const maxLinks = 40

// resolved is what followLinks found.
type resolved struct {
	real  string
	link  bool // the last element of the path is a link
	magic bool // a link below /proc was followed
}

// followLinks resolves all symbolic links of a clean absolute path. Unlike
// filepath.EvalSymlinks it accepts that a tail of the path does not exist,
// behind a link too, unless the link leads back out of what does not exist.
func followLinks(abs string) (resolved, error) {
	var out resolved
	current, todo := splitVolume(abs)
	links := 0
	for len(todo) > 0 {
		name := todo[0]
		todo = todo[1:]
		if name == ".." {
			current = filepath.Dir(current)
			continue
		}
		next := filepath.Join(current, name)
		info, err := os.Lstat(next)
		if errors.Is(err, fs.ErrNotExist) && !slices.Contains(todo, "..") {
			out.real = filepath.Join(trueCase(current), name, filepath.Join(todo...))
			return out, nil
		}
		if err != nil {
			return out, err
		}
		target, isLink, err := readLink(next, info)
		if err != nil {
			return out, err
		}
		if !isLink {
			current = next
			continue
		}
		if links++; links > maxLinks {
			return out, errLinks
		}
		out.link = out.link || next == abs
		out.magic = out.magic || strings.HasPrefix(next, "/proc/")
		if filepath.IsAbs(target) {
			var head []string
			current, head = splitVolume(target)
			todo = append(head, todo...)
			continue
		}
		todo = append(splitPath(target), todo...)
	}
	out.real = trueCase(current)
	return out, nil
}

// readLink returns the target of a link.
func readLink(path string, info fs.FileInfo) (target string, isALink bool, err error) {
	if !isLink(info.Mode()) {
		return "", false, nil
	}
	target, err = os.Readlink(path)
	if err != nil {
		if info.Mode()&fs.ModeSymlink == 0 {
			return "", false, nil // an irregular file that is no junction
		}
		return "", false, err
	}
	return target, true, nil
}

// splitVolume returns the top folder of an absolute path and the names below.
func splitVolume(abs string) (top string, names []string) {
	volume := filepath.VolumeName(abs)
	return volume + string(filepath.Separator), splitPath(abs[len(volume):])
}

// splitPath returns the names of a path, without empty ones and dots.
func splitPath(path string) []string {
	names := strings.FieldsFunc(path, func(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) })
	kept := names[:0]
	for _, name := range names {
		if name != "." {
			kept = append(kept, name)
		}
	}
	return kept
}
