// Package recipe finds, fetches, caches and pushes recipes: folders with a workflow that others
// use by a reference.
//
//	ref, ok, err := recipe.Parse("github.com/acme/recipes/review@v1.2.0")
//	at, err := recipe.Resolve(ctx, ref)       // what the version stands for now
//	tree, err := recipe.Fetch(ctx, ref, at)   // its files, in memory, within bounds
//	dir, err := cache.Put(tree)               // on disk, by their hash
//
// No part of a recipe runs here: git repositories are read without a checkout, and archives
// without links. A recipe has at most 10,000 files and 100 MB.
package recipe

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
)

// File is the workflow of a recipe whose reference names none.
const File = "flow.yaml"

// A Reference names a recipe in a repository or a registry.
type Reference struct {
	Text    string // as it was written
	OCI     bool   // an artefact of a registry; else a folder of a git repository
	Source  string // the URL of the repository, or registry/name
	Folder  string // in the repository, clean; "." is all of it
	File    string // the workflow in the folder
	Version string // tag, branch, commit or digest; "": none is named
}

// hosts are the services where the first two names of a path are a repository.
var hosts = []string{"github.com", "gitlab.com", "bitbucket.org", "codeberg.org"}

var (
	commitForm  = regexp.MustCompile(`^[0-9a-f]{40}([0-9a-f]{24})?$`)
	digestForm  = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)
	releaseForm = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`)
	versionForm = regexp.MustCompile(`^[0-9A-Za-z_][0-9A-Za-z_./+-]{0,199}$`)
	partForm    = regexp.MustCompile(`^[0-9A-Za-z_~.-]+$`)
	nameForm    = regexp.MustCompile(`^[0-9A-Za-z._-]+(:[0-9]+)?(/[0-9a-z._-]+)+$`)
)

// Parse reads a reference. It reports false for a path. A reference without a version is no error.
func Parse(text string) (ref Reference, ok bool, err error) {
	switch {
	case strings.HasPrefix(text, "oci://"):
		ref, err = parseOCI(text)
	case strings.HasPrefix(text, "git+"):
		ref, err = parseGit(text)
	case slices.ContainsFunc(hosts, func(h string) bool { return strings.HasPrefix(text, h+"/") }):
		ref, err = parseHost(text)
	default:
		if meant := meantBy(text); meant != "" {
			return ref, true, Errorf("write "+meant, "%q is the address of a repository, and no reference to a recipe", text)
		}
		return Reference{}, false, nil
	}
	if err != nil {
		return ref, true, fmt.Errorf("the reference %q: %w", text, err)
	}
	ref.Text = text
	return ref, true, nil
}

// meantBy returns the reference that is meant by the address of a repository, as browsers and git write it;
// "" for any other text.
func meantBy(text string) string {
	if user, at, scp := strings.Cut(text, ":"); scp && strings.HasPrefix(user, "git@") && !strings.HasPrefix(at, "/") {
		return "git+ssh://" + user + "/" + at
	}
	scheme, rest, isURL := strings.Cut(text, "://")
	if !isURL {
		scheme, rest = "", text
	}
	host, at, _ := strings.Cut(rest, "/")
	switch host := strings.ToLower(host); {
	case at == "":
	case slices.Contains(hosts, host) && scheme != "ssh":
		return host + "/" + at
	case slices.Contains([]string{"https", "ssh"}, scheme):
		return "git+" + text
	}
	return ""
}

// Pinned reports whether the version is a commit or a digest, which can't change its meaning.
func (r Reference) Pinned() bool {
	return commitForm.MatchString(r.Version) || digestForm.MatchString(r.Version)
}

// Stays reports whether an update keeps the version: it is pinned, or a release such as v1.2.0.
func (r Reference) Stays() bool { return r.Pinned() || releaseForm.MatchString(r.Version) }

// Local reports whether the recipe is on this machine, or on a server on it.
func (r Reference) Local() bool {
	source := r.Source
	if r.OCI {
		source = "oci://" + source
	}
	u, err := url.Parse(source)
	return err != nil || u.Scheme == "file" || isLoopback(u.Hostname())
}

// SameFolder reports whether two references name the same folder of one repository, or the same
// artefact, whatever their versions and protocols.
func (r Reference) SameFolder(other Reference) bool { return r.place() == other.place() }

// place is what a reference names without its version. Upper and lower case are not told apart,
// as services don't.
func (r Reference) place() string {
	u, err := url.Parse(r.Source)
	if r.OCI || err != nil {
		return "oci " + strings.ToLower(r.Source)
	}
	host := strings.TrimSuffix(u.Hostname(), ".")
	repository := strings.TrimSuffix(path.Clean("/"+u.Path), ".git")
	return strings.ToLower("git "+host+repository) + "//" + r.Folder
}

// Base is the reference without its version.
func (r Reference) Base() string {
	return strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(r.Text, r.Version), "@"), ":")
}

// parseHost reads github.com/owner/repository/folder@version.
func parseHost(text string) (Reference, error) {
	address, version, _ := strings.Cut(text, "@")
	parts := strings.Split(address, "/")
	end := 3
	for i, part := range parts {
		if strings.HasSuffix(part, ".git") && part != ".git" {
			end = i + 1
			break
		}
	}
	named := parts[:min(end, len(parts))]
	if len(parts) < 3 || slices.ContainsFunc(named, func(part string) bool { return !partForm.MatchString(part) || strings.Trim(part, ".") == "" }) {
		return Reference{}, fmt.Errorf("it names no repository, such as %s/acme/recipes", parts[0])
	}
	return gitReference("https://"+strings.Join(parts[:end], "/"), strings.Join(parts[end:], "/"), version)
}

// parseGit reads git+https://host/repository//folder@version.
func parseGit(text string) (Reference, error) {
	scheme, rest, found := strings.Cut(strings.TrimPrefix(text, "git+"), "://")
	if !found || !slices.Contains([]string{"https", "http", "ssh", "file"}, scheme) {
		return Reference{}, fmt.Errorf("expected https, ssh or file after git+")
	}
	host, at, _ := strings.Cut(rest, "/")
	at, version, _ := strings.Cut(at, "@")
	repository, folder, _ := strings.Cut(at, "//")
	source := scheme + "://" + host + "/" + repository
	u, err := url.Parse(source)
	if err != nil || repository == "" || strings.ContainsFunc(source, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`?#\`, r) }) {
		return Reference{}, errors.New("it names no repository, such as git+https://example.com/recipes.git//review@v1")
	}
	_, hasPassword := u.User.Password()
	switch {
	case hasPassword:
		return Reference{}, errors.New("it contains a password; use a credential helper of git")
	case scheme == "file" && host != "":
		return Reference{}, errors.New("a file's path is absolute: git+file:///…")
	case scheme == "http" && !isLoopback(u.Hostname()):
		return Reference{}, errors.New("http is only allowed for this machine; use https")
	case strings.HasPrefix(u.Hostname(), "-") || strings.HasPrefix(u.User.Username(), "-"):
		return Reference{}, errors.New("there is no such host")
	}
	if err := checkHost(u.Hostname()); err != nil {
		return Reference{}, err
	}
	return gitReference(source, folder, version)
}

// gitReference returns the reference of a folder, or of a workflow in it.
func gitReference(source, folder, version string) (Reference, error) {
	r := Reference{Source: source, Folder: path.Clean(folder), File: File, Version: version}
	if ext := path.Ext(folder); ext == ".yaml" || ext == ".yml" {
		r.Folder, r.File = path.Dir(r.Folder), path.Base(r.Folder)
	}
	if err := checkName(r.Folder); err != nil && r.Folder != "." {
		return r, err
	}
	if version != "" && (!versionForm.MatchString(version) || strings.Contains(version, "..") || strings.HasSuffix(version, ".lock")) {
		return r, fmt.Errorf("%q is not a tag, branch or commit", version)
	}
	return r, nil
}

// parseOCI reads oci://registry/name:tag and oci://registry/name@sha256:….
func parseOCI(text string) (Reference, error) {
	address := strings.TrimPrefix(text, "oci://")
	r := Reference{OCI: true, Folder: ".", File: File}
	name, digest, pinned := strings.Cut(address, "@")
	if pinned {
		r.Source, r.Version = name, digest
		if !digestForm.MatchString(digest) {
			return r, fmt.Errorf("expected a digest after @, sha256:…")
		}
	} else if colon := strings.LastIndex(address, ":"); colon > strings.LastIndex(address, "/") {
		r.Source, r.Version = address[:colon], address[colon+1:]
		if !versionForm.MatchString(r.Version) || strings.Contains(r.Version, "/") {
			return r, fmt.Errorf("%q is not a tag", r.Version)
		}
	} else {
		r.Source = address
	}
	if !nameForm.MatchString(r.Source) {
		if lower := strings.ToLower(r.Source); nameForm.MatchString(lower) {
			return r, Errorf("write "+strings.Replace("oci://"+address, r.Source, lower, 1), "a registry has names in lower case only")
		}
		return r, fmt.Errorf("it names no artefact, such as oci://registry.example.com/recipes/review:v1")
	}
	host, _, _ := strings.Cut(r.Source, "/")
	host, _, _ = strings.Cut(host, ":")
	return r, checkHost(host)
}

// isLoopback reports whether a host is this machine, by name or by address.
func isLoopback(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	ip, _ := netip.ParseAddr(host)
	ip = ip.Unmap()
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip.IsLoopback() || ip.IsUnspecified() || ip.Is4() && ip.As4()[0] == 0
}

// checkHost refuses a host that some programs read as a name and others as an address, such as
// 127.1 and 0x7f000001.
func checkHost(host string) error {
	name := strings.TrimSuffix(host, ".")
	last := strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
	hex, isHex := strings.CutPrefix(last, "0x")
	number := last != "" && strings.Trim(last, "0123456789") == "" || isHex && strings.Trim(hex, "0123456789abcdef") == ""
	if !number || strings.Contains(host, ":") {
		return nil
	}
	if ip, err := netip.ParseAddr(host); err != nil || ip.String() != host {
		return fmt.Errorf("the address %q is not four decimal numbers in their plain form", host)
	}
	return nil
}
