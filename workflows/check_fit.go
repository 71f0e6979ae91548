package workflows

import (
	"reflect"

	"github.com/expr-lang/expr/types"

	"github.com/a-seed-11b9befa/flow/internal/jsonschema"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/expression"
)

// checkFit reports a value that does not match a schema. Of one with expressions only the
// type is known, and is compared.
func (p *parser) checkFit(v *Value, keywords any, schema *jsonschema.Schema, what string) {
	if data, static := v.Static(); static {
		for _, m := range schema.Validate(data) {
			p.Errorf(v.node.Find(jsonschema.Tokens(m.Path)), diagnostic.CodeSchema, "%s does not fit: %s", what, m.Message)
		}
		return
	}
	if v.template == nil {
		return
	}
	want, got := expression.SchemaType(keywords), v.typeOf()
	if !compatible(want, got) {
		p.Errorf(v.node, diagnostic.CodeSchema, "%s must be %s, not %s", what, expression.TypeName(want.String()), expression.TypeName(got.String()))
	}
}

// compatible reports whether a value of the type got may be used as one of want. It errs on
// the side of yes.
func compatible(want, got types.Type) bool {
	w, g := want.Nature(), got.Nature()
	if expression.IsUnknown(&w) || expression.IsUnknown(&g) || g.Nil {
		return true
	}
	return family(w.Kind) == family(g.Kind)
}

// family maps kinds whose values may replace each other to one of them.
func family(k reflect.Kind) reflect.Kind {
	switch k {
	case reflect.Int, reflect.Int64, reflect.Uint64, reflect.Float32, reflect.Float64:
		return reflect.Float64
	case reflect.Array:
		return reflect.Slice
	}
	return k
}
