package ollama

import "testing"

func TestBaseURL(t *testing.T) {
	for host, want := range map[string]string{
		"":                              "http://127.0.0.1:11434",
		"  ":                            "http://127.0.0.1:11434",
		"localhost":                     "http://localhost:11434",
		"example.com":                   "http://example.com:11434",
		"example.com:1234":              "http://example.com:1234",
		":1234":                         "http://127.0.0.1:1234",
		"http://example.com":            "http://example.com",
		"https://example.com":           "https://example.com",
		"http://example.com:1234":       "http://example.com:1234",
		"https://example.com:1234/":     "https://example.com:1234",
		"example.com/ollama":            "http://example.com:11434/ollama",
		"https://example.com/ollama/":   "https://example.com/ollama",
		"0.0.0.0":                       "http://127.0.0.1:11434",
		"0.0.0.0:1234":                  "http://127.0.0.1:1234",
		"http://0.0.0.0:1234":           "http://127.0.0.1:1234",
		"::":                            "http://[::1]:11434",
		"[::]:1234":                     "http://[::1]:1234",
		"::1":                           "http://[::1]:11434",
		"[::1]":                         "http://[::1]:11434",
		"[::1]:1234":                    "http://[::1]:1234",
		"https://[fe80::2]":             "https://[fe80::2]",
		"192.168.0.7":                   "http://192.168.0.7:11434",
		`"localhost:1234"`:              "http://localhost:1234",
		" localhost ":                   "http://localhost:11434",
		"ollama.com":                    "https://ollama.com",
		"http://localhost:11434/v1":     "http://localhost:11434",
		"http://localhost:11434/v1/":    "http://localhost:11434",
		"http://localhost:11434/api":    "http://localhost:11434",
		"https://h/team/api/chat":       "https://h/team",
		"https://user:password@h:1/":    "https://user:password@h:1/",
		"ftp://example.com":             "ftp://example.com", // for a check to refuse
		"http://example.com:notaport/x": "http://example.com:notaport/x",
	} {
		if got := BaseURL(host); got != want {
			t.Errorf("OLLAMA_HOST=%q: %s, want %s", host, got, want)
		}
	}
}

func FuzzBaseURL(f *testing.F) {
	for _, host := range []string{"", "localhost", "[::1]:1", "http://h:1/v1", ":::", "//", "@", "%zz"} {
		f.Add(host)
	}
	f.Fuzz(func(t *testing.T, host string) {
		once := BaseURL(host)
		if twice := BaseURL(once); twice != once && host != "" {
			t.Errorf("%q: %q, and again %q", host, once, twice)
		}
	})
}
