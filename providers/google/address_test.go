package google

import (
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
)

func TestAddress(t *testing.T) {
	const call = ":streamGenerateContent?alt=sse"
	vertex := &Vertex{Project: "p-1", Location: "europe-west4"}
	for _, c := range []struct {
		model, base string
		vertex      *Vertex
		want        string
	}{
		{"gemini-3-pro", "", nil, "https://generativelanguage.googleapis.com/v1beta/models/gemini-3-pro" + call},
		{"models/gemini-3-pro", "", nil, "https://generativelanguage.googleapis.com/v1beta/models/gemini-3-pro" + call},
		{"tunedModels/mine", "", nil, "https://generativelanguage.googleapis.com/v1beta/tunedModels/mine" + call},
		{"m", "http://127.0.0.1:1", nil, "http://127.0.0.1:1/v1beta/models/m" + call},
		{"m", "http://h/gemini/", nil, "http://h/gemini/v1beta/models/m" + call},
		{"m", "http://h/v1alpha/?tier=a", nil, "http://h/v1alpha/models/m:streamGenerateContent?alt=sse&tier=a"},
		{"a b?c#d%", "http://h", nil, "http://h/v1beta/models/a%20b%3Fc%23d%25" + call},
		{"gemini-3-pro", "", vertex, "https://europe-west4-aiplatform.googleapis.com/v1beta1/projects/p-1/locations/europe-west4/publishers/google/models/gemini-3-pro" + call},
		{"models/gemini-3-pro", "", vertex, "https://europe-west4-aiplatform.googleapis.com/v1beta1/projects/p-1/locations/europe-west4/publishers/google/models/gemini-3-pro" + call},
		{"meta/llama", "", vertex, "https://europe-west4-aiplatform.googleapis.com/v1beta1/projects/p-1/locations/europe-west4/publishers/meta/models/llama" + call},
		{"endpoints/7", "", vertex, "https://europe-west4-aiplatform.googleapis.com/v1beta1/projects/p-1/locations/europe-west4/endpoints/7" + call},
		{"projects/q/locations/l/endpoints/7", "", &Vertex{}, "https://aiplatform.googleapis.com/v1beta1/projects/q/locations/l/endpoints/7" + call},
		{"m", "", &Vertex{Project: "p"}, "https://aiplatform.googleapis.com/v1beta1/projects/p/locations/global/publishers/google/models/m" + call},
		{"m", "", &Vertex{Project: "p", Location: "eu"}, "https://aiplatform.eu.rep.googleapis.com/v1beta1/projects/p/locations/eu/publishers/google/models/m" + call},
		{"m", "http://127.0.0.1:1/", &Vertex{Project: "p"}, "http://127.0.0.1:1/v1beta1/projects/p/locations/global/publishers/google/models/m" + call},
	} {
		got, err := address(Options{Endpoint: providers.Endpoint{Model: c.model, BaseURL: c.base}, Vertex: c.vertex})
		if err != nil || got != c.want {
			t.Errorf("%s at %q: %s, error %v; want %s", c.model, c.base, got, err, c.want)
		}
	}
}

func TestAddressesThatAreNone(t *testing.T) {
	for _, c := range []struct {
		model, base string
		vertex      *Vertex
		want        string
	}{
		{"", "", nil, "is not a model name"},
		{"a//b", "", nil, "is not a model name"},
		{"../../v1/files", "", nil, "is not a model name"},
		{"m", "ht!tp://secret@:x", nil, "is invalid"},
		{"m", "", &Vertex{}, "GOOGLE_CLOUD_PROJECT"},
		{"m", "", &Vertex{Project: "..", Location: "us"}, "is not a model name"},
		{"m", "", &Vertex{Project: "p", Location: "evil.example/"}, "is not a region"},
		{"m", "", &Vertex{Project: "p", Location: "US"}, "is not a region"},
	} {
		got, err := address(Options{Endpoint: providers.Endpoint{Model: c.model, BaseURL: c.base}, Vertex: c.vertex})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q at %q: %s, error %v; want %q", c.model, c.base, got, err, c.want)
		}
	}
}
