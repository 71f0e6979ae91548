package mcp

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/tools"
)

// contentText returns a result as text for a model: its texts, a line for each other content,
// and the structured content if no text says the same.
func contentText(mask *tools.Mask, r *sdk.CallToolResult) string {
	var parts []string
	said := false
	for _, c := range r.Content {
		part := partText(mask, c)
		if part != "" {
			parts = append(parts, strings.TrimSuffix(part, "\n"))
		}
		if text, ok := c.(*sdk.TextContent); ok && saysSame(text.Text, r.StructuredContent) {
			said = true
		}
	}
	if r.StructuredContent != nil && !said {
		if data, err := jsonline.Encode(r.StructuredContent); err == nil {
			parts = append(parts, string(data))
		}
	}
	return strings.Join(parts, "\n")
}

// saysSame reports whether a text is the structured value as JSON, or the only string in it:
// many servers wrap their text as {"content": text}.
func saysSame(text string, value any) bool {
	if value == nil {
		return false
	}
	if object, ok := value.(map[string]any); ok && len(object) == 1 {
		for _, only := range object {
			if inner, ok := only.(string); ok && inner == text {
				return true
			}
		}
	}
	var parsed any
	return json.Unmarshal([]byte(text), &parsed) == nil && reflect.DeepEqual(parsed, value)
}

func partText(mask *tools.Mask, c sdk.Content) string {
	switch c := c.(type) {
	case *sdk.TextContent:
		return c.Text
	case *sdk.ImageContent:
		return fmt.Sprintf("[image: %s, %d bytes]", kind(mask, c.MIMEType), len(c.Data))
	case *sdk.AudioContent:
		return fmt.Sprintf("[audio: %s, %d bytes]", kind(mask, c.MIMEType), len(c.Data))
	case *sdk.ResourceLink:
		return linkText(mask, c)
	case *sdk.EmbeddedResource:
		return resourceText(mask, c.Resource)
	}
	return fmt.Sprintf("[content of a kind that is not known: %T]", c)
}

func kind(mask *tools.Mask, mimeType string) string {
	if mimeType == "" {
		return "of an unknown type"
	}
	return shown(mask, mimeType, 200)
}

func linkText(mask *tools.Mask, c *sdk.ResourceLink) string {
	text := fmt.Sprintf("[resource: %s", shown(mask, c.URI, 2<<10))
	for _, more := range []string{c.Name, c.MIMEType, c.Description} {
		if more != "" {
			text += ", " + shown(mask, more, 500)
		}
	}
	if c.Size != nil {
		text += fmt.Sprintf(", %d bytes", *c.Size)
	}
	return text + "]"
}

func resourceText(mask *tools.Mask, r *sdk.ResourceContents) string {
	if r == nil {
		return "[resource: empty]"
	}
	head := fmt.Sprintf("[resource: %s, %s", shown(mask, r.URI, 2<<10), kind(mask, r.MIMEType))
	if r.Blob != nil {
		return fmt.Sprintf("%s, %d bytes]", head, len(r.Blob))
	}
	return head + "]\n" + r.Text
}
