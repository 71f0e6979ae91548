package workflows

import (
	"strconv"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

// Cache says whether answers of models are cached. The zero value is that they are not.
type Cache struct {
	On     bool
	MaxAge time.Duration // older answers are not used; 0: answers never expire
}

// cacheShape is true, false, or a map, which implies true.
func cacheShape() shape[Cache] {
	word := mapped(boolean(), func(on bool) Cache { return Cache{On: on} })
	table := cacheTable().shape(func(*parser, *tree.Node) Cache { return Cache{On: true} })
	return either(func(n *tree.Node) bool {
		_, isAge := longSpan().read(&parser{Report: &tree.Report{}}, n)
		return isMap(n) || isAge
	}, table, word)
}

func cacheTable() *object[Cache] {
	return &object[Cache]{
		name: "cache", what: "cache", doc: "What models answer is kept, and given again to the same requests.",
		fields: []field[Cache]{
			key("max_age", longSpan(), func(c *Cache) *time.Duration { return &c.MaxAge }, "An answer that is older is asked for anew: 12h, 30d. Default: none is too old."),
		},
	}
}

// longSpan is a duration that may also be a number of days: 30d.
func longSpan() shape[time.Duration] {
	plain := span()
	return shape[time.Duration]{
		read: func(p *parser, n *tree.Node) (time.Duration, bool) {
			const most = 36_500 // days
			digits, isDays := strings.CutSuffix(n.Text, "d")
			if days, err := strconv.ParseUint(digits, 10, 32); n.Kind == tree.KindString && isDays && err == nil && days > 0 && days <= most {
				return time.Duration(days) * 24 * time.Hour, true
			}
			return plain.read(p, n)
		},
		schema: func(*schemaWriter) any {
			return map[string]any{"type": "string", "pattern": `^([0-9]+d|([0-9.]+(ns|us|µs|ms|s|m|h))+)$`}
		},
	}
}
