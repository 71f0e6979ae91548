package recipe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/credentials"
	"oras.land/oras-go/v2/registry/remote/retry"
)

// The media types of a recipe in a registry.
const (
	artifactType = "application/vnd.flow.recipe.v1"
	layerType    = "application/vnd.flow.recipe.v1.tar"
)

const (
	maxManifest  = 1 << 20
	registryTime = 5 * time.Minute // of one resolve, fetch or push
)

// repository returns the repository of a reference, with Docker's credentials for it. A registry
// on this machine is reached by http.
func repository(r Reference) (*remote.Repository, error) {
	repo, err := remote.NewRepository(r.Source)
	if err != nil {
		return nil, err
	}
	host, _, err := net.SplitHostPort(repo.Reference.Host())
	if err != nil {
		host = repo.Reference.Host()
	}
	repo.PlainHTTP = isLoopback(host)
	repo.MaxMetadataBytes = maxManifest
	client := &auth.Client{Client: retry.DefaultClient, Cache: auth.NewCache()}
	if !repo.PlainHTTP {
		client.Client = &http.Client{Transport: remoteOnly{retry.NewTransport(nil)}}
	}
	if store, err := credentials.NewStoreFromDocker(credentials.StoreOptions{}); err == nil {
		client.Credential = credentials.Credential(store)
	}
	client.SetUserAgent("flow")
	repo.Client = client
	return repo, nil
}

// remoteOnly refuses requests to this machine and without https. Redirects of a registry, and the
// address of its token service, could lead there.
type remoteOnly struct{ next http.RoundTripper }

func (t remoteOnly) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != "https" || isLoopback(r.URL.Hostname()) {
		return nil, fmt.Errorf("the registry redirects to %s://%s; only https redirects are followed", r.URL.Scheme, r.URL.Host)
	}
	return t.next.RoundTrip(r)
}

// resolveOCI returns the digest that a tag means now.
func resolveOCI(ctx context.Context, r Reference) (string, error) {
	if digestForm.MatchString(r.Version) {
		return r.Version, nil
	}
	repo, err := repository(r)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, registryTime)
	defer cancel()
	found, err := repo.Resolve(ctx, r.Version)
	if err != nil {
		return "", fmt.Errorf("%s: %w", r.Text, plain(err))
	}
	if digest := found.Digest.String(); digestForm.MatchString(digest) {
		return digest, nil
	}
	return "", fmt.Errorf("%s: the registry gives the digest %s, not a sha256", r.Text, found.Digest)
}

// fetchOCI reads the artefact of a digest. It refuses content with another digest, and other
// kinds of artefacts.
func fetchOCI(ctx context.Context, r Reference, digest string) (*Tree, error) {
	repo, err := repository(r)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, registryTime)
	defer cancel()
	found, data, err := oras.FetchBytes(ctx, repo, digest, oras.FetchBytesOptions{MaxBytes: maxManifest})
	if err != nil {
		return nil, plain(err)
	}
	if found.Digest.String() != digest {
		return nil, fmt.Errorf("%s: the registry has %s in place of %s", r.Source, found.Digest, digest)
	}
	var manifest ocispec.Manifest
	if err := json.Unmarshal(data, &manifest); err != nil || manifest.ArtifactType != artifactType || len(manifest.Layers) != 1 || manifest.Layers[0].MediaType != layerType {
		return nil, fmt.Errorf("%s@%s is not a recipe, but %q", r.Source, digest, manifest.ArtifactType)
	}
	layer := manifest.Layers[0]
	const maxHeaders = maxFiles * 4 << 10
	if layer.Size > maxBytes+maxHeaders {
		return nil, fmt.Errorf("it exceeds %d MB", maxBytes>>20)
	}
	archive, err := content.FetchAll(ctx, repo, layer)
	if err != nil {
		return nil, plain(err)
	}
	return unpack(archive)
}

// plain words an error of a registry.
func plain(err error) error {
	var unreached *url.Error
	switch {
	case errors.Is(err, errdef.ErrNotFound):
		return errors.New("the registry has none")
	case errors.Is(err, content.ErrMismatchedDigest), errors.Is(err, content.ErrTrailingData), errors.Is(err, content.ErrInvalidDescriptorSize):
		return errors.New("the content that the registry sent does not match its digest")
	case errors.As(err, &unreached):
		return unreached.Err
	}
	return err
}

// Push pushes the files to a registry under the tag of a reference, and returns the digest, which
// is always the same for the same files.
func Push(ctx context.Context, r Reference, t *Tree) (digest string, err error) {
	if !r.OCI || r.Version == "" || r.Pinned() {
		return "", fmt.Errorf("push a recipe to a tag of a registry, such as oci://registry.example.com/recipes/review:v1; for a git repository, use git push")
	}
	archive, err := t.pack()
	if err != nil {
		return "", err
	}
	repo, err := repository(r)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, registryTime)
	defer cancel()
	layer, err := oras.PushBytes(ctx, repo, layerType, archive)
	if err != nil && !errors.Is(err, errdef.ErrAlreadyExists) {
		return "", err
	}
	manifest, err := oras.PackManifest(ctx, repo, oras.PackManifestVersion1_1, artifactType, oras.PackManifestOptions{
		Layers: []ocispec.Descriptor{layer}, ManifestAnnotations: map[string]string{ocispec.AnnotationCreated: "1970-01-01T00:00:00Z"},
	})
	if err != nil {
		return "", err
	}
	return manifest.Digest.String(), repo.Tag(ctx, manifest, r.Version)
}
