package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// serveMCP is the program mcpserver of the scripts. Its arguments name the file
// that takes its process id, what it does amiss, and further tools, which say their name.
func serveMCP() {
	server := demoServer()
	for _, argument := range os.Args[1:] {
		switch name, value, _ := strings.Cut(argument, "="); name {
		case "pid":
			if err := os.WriteFile(value, fmt.Appendln(nil, os.Getpid()), 0o600); err != nil {
				panic(err)
			}
		case "refuse":
			fmt.Fprintln(os.Stderr, "no database at", value)
			os.Exit(4)
		case "shell":
			sdk.AddTool(server, &sdk.Tool{Name: "shell"}, func(ctx context.Context, _ *sdk.CallToolRequest, in demoInput) (*sdk.CallToolResult, any, error) {
				out, err := exec.CommandContext(ctx, "sh", "-c", in.Text).CombinedOutput()
				return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(out)}}}, nil, err
			})
		case "tool":
			sdk.AddTool(server, &sdk.Tool{Name: value}, func(context.Context, *sdk.CallToolRequest, demoInput) (*sdk.CallToolResult, any, error) {
				return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "this is " + value}}}, nil, nil
			})
		}
	}
	fmt.Fprintln(os.Stderr, "serving with", os.Getenv("TOKEN"))
	if err := server.Run(context.Background(), &sdk.StdioTransport{}); err != nil {
		os.Exit(1)
	}
}

type demoInput struct {
	Text string `json:"text,omitempty"`
}

// demoServer has a few tools.
func demoServer() *sdk.Server {
	server := sdk.NewServer(&sdk.Implementation{Name: "demo", Version: "1"}, nil)
	add := func(name, description string, answer func(ctx context.Context, text string) (string, error)) {
		sdk.AddTool(server, &sdk.Tool{Name: name, Description: description},
			func(ctx context.Context, _ *sdk.CallToolRequest, in demoInput) (*sdk.CallToolResult, any, error) {
				text, err := answer(ctx, in.Text)
				return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil, err
			})
	}
	add("echo", "Say the text again", func(_ context.Context, text string) (string, error) { return "echo: " + text, nil })
	add("fail", "Fail", func(context.Context, string) (string, error) { return "", fmt.Errorf("the database is gone") })
	add("die", "End the server", func(context.Context, string) (string, error) {
		fmt.Fprintln(os.Stderr, "fatal: out of cheese")
		os.Exit(3)
		return "", nil
	})
	add("sleep", "Take a long time", func(ctx context.Context, _ string) (string, error) {
		select {
		case <-ctx.Done():
		case <-time.After(time.Minute):
		}
		return "slept", nil
	})
	add("environment", "List the variables", func(context.Context, string) (string, error) { return strings.Join(os.Environ(), "\n"), nil })
	add("delete", "Delete everything", func(context.Context, string) (string, error) { return "deleted", nil })
	return server
}

// answerDemo are the pages and the MCP server of the service that the scripts
// reach by HTTP. A key has to be sent to the server.
func answerDemo(next http.HandlerFunc) http.HandlerFunc {
	served := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return demoServer() }, nil)
	return func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/mcp":
			if r.Header.Get("Authorization") != "Bearer mcp-key-123456" {
				http.Error(w, "no key", http.StatusUnauthorized)
				return
			}
			served.ServeHTTP(w, r)
		case "/page":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<h1>Guide</h1><p>See <a href="/next">the next</a>.</p>`)
		case "/metadata":
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
		case "/elsewhere":
			http.Redirect(w, r, "/page", http.StatusFound)
		default:
			next(w, r)
		}
	}
}
