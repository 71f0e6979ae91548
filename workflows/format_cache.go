package workflows

import (
	"strconv"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/format"
	"github.com/a-seed-11b9befa/flow/internal/tree"
)

// Cache says whether answers of models are cached. The zero value is that they are not.
type Cache struct {
	On     bool
	MaxAge time.Duration // older answers are not used; 0: answers never expire
}

// cacheShape is true, false, or a map, which implies true.
func cacheShape() format.Shape[Cache] {
	word := format.Mapped(format.Boolean(), func(on bool) Cache { return Cache{On: on} })
	table := cacheTable().Shape(func(*format.Reader, *tree.Node) Cache { return Cache{On: true} })
	return format.Either(func(n *tree.Node) bool {
		_, isAge := longSpan().Read(&format.Reader{Report: &tree.Report{}}, n)
		return format.IsMap(n) || isAge
	}, table, word)
}

func cacheTable() *format.Object[Cache] {
	return &format.Object[Cache]{
		Name: "cache", What: "cache", Doc: "What models answer is kept, and given again to the same requests.",
		Fields: []format.Field[Cache]{
			format.Key("max_age", longSpan(), func(c *Cache) *time.Duration { return &c.MaxAge }, "An answer that is older is asked for anew: 12h, 30d. Default: none is too old."),
		},
	}
}

// longSpan is a duration that may also be a number of days: 30d.
func longSpan() format.Shape[time.Duration] {
	plain := format.Span()
	return format.Shape[time.Duration]{
		Read: func(r *format.Reader, n *tree.Node) (time.Duration, bool) {
			const most = 36_500 // days
			digits, isDays := strings.CutSuffix(n.Text, "d")
			if days, err := strconv.ParseUint(digits, 10, 32); n.Kind == tree.KindString && isDays && err == nil && days > 0 && days <= most {
				return time.Duration(days) * 24 * time.Hour, true
			}
			return plain.Read(r, n)
		},
		Schema: func(*format.Schema) any {
			return map[string]any{"type": "string", "pattern": `^([0-9]+d|([0-9.]+(ns|us|µs|ms|s|m|h))+)$`}
		},
	}
}
