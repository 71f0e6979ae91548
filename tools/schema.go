package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A Schema is a JSON Schema that values are checked against. Drafts 4 to
// 2020-12 are understood, the last one is taken where none is named. Formats
// are checked, nothing is loaded from elsewhere. It is safe for concurrent use.
type Schema struct {
	compiled *jsonschema.Schema
	document any
	warnings []string
}

const schemaURL = "flow:///schema.json"

// CompileSchema compiles raw. A pattern that Go's regexp does not understand,
// such as one that looks around, checks nothing: see [Schema.Warnings].
func CompileSchema(raw json.RawMessage) (*Schema, error) {
	document, err := parseJSON(raw)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	s := &Schema{document: document}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	c.UseLoader(noLoader{})
	compiling := true
	c.UseRegexpEngine(func(pattern string) (jsonschema.Regexp, error) {
		re, err := regexp.Compile(pattern)
		if err == nil || !compiling {
			return re, err
		}
		s.warn(fmt.Sprintf("the pattern %q is not checked: %v", pattern, err))
		return anything(pattern), nil
	})
	if err := c.AddResource(schemaURL, document); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	if s.compiled, err = c.Compile(schemaURL); err != nil {
		return nil, schemaError(err)
	}
	compiling = false
	return s, nil
}

// schemaError says what is wrong with a schema, at which place.
func schemaError(err error) error {
	var misfit *jsonschema.SchemaValidationError
	var invalid *jsonschema.ValidationError
	if errors.As(err, &misfit) && errors.As(misfit.Err, &invalid) {
		return fmt.Errorf("schema: %s", joinProblems(leaves(invalid, nil)))
	}
	return fmt.Errorf("schema: %w", err)
}

// warn keeps w, once: a pattern is compiled for the check of the schema, too.
func (s *Schema) warn(w string) {
	for _, old := range s.warnings {
		if old == w {
			return
		}
	}
	s.warnings = append(s.warnings, w)
}

// Warnings says what of the schema is not checked, and why.
func (s *Schema) Warnings() []string { return s.warnings }

// Validate returns everything about value that does not fit, at most 20
// problems; none where it fits. Integers of any size are compared exactly.
func (s *Schema) Validate(value json.RawMessage) []Problem {
	v, err := parseJSON(value)
	if err != nil {
		return []Problem{{Message: err.Error()}}
	}
	return s.check(v)
}

func (s *Schema) check(v any) []Problem {
	err := s.compiled.Validate(v)
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return []Problem{{Message: err.Error()}}
	}
	problems := leaves(invalid, s.document)
	if more := len(problems) - mostProblems; more > 0 {
		problems = append(problems[:mostProblems], Problem{Message: fmt.Sprintf("and %s more", count(int64(more), "problem"))})
	}
	return problems
}

const mostProblems = 20

// noLoader keeps schemas from reading files and URLs.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("%q is not loaded: a schema can refer to its own parts only", url)
}

// anything stands for a pattern that can't be compiled.
type anything string

func (anything) MatchString(string) bool { return true }
func (a anything) String() string        { return string(a) }

// parseJSON parses one value, with its numbers as they are written.
func parseJSON(raw []byte) (any, error) {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("no valid JSON: %w", err)
	}
	if err := checkNumbers(v); err != nil {
		return nil, err
	}
	return v, nil
}

// checkNumbers refuses numbers that take more memory to compare than to write.
func checkNumbers(v any) error {
	switch v := v.(type) {
	case json.Number:
		if hugeNumber(string(v)) {
			return fmt.Errorf("the number %s is out of range", shorten(string(v)))
		}
	case []any:
		for _, element := range v {
			if err := checkNumbers(element); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, element := range v {
			if err := checkNumbers(element); err != nil {
				return err
			}
		}
	}
	return nil
}

// hugeNumber reports whether a number has more digits, as it is written or
// without its exponent, than any that is meant.
func hugeNumber(s string) bool {
	const mostDigits, mostExponent = 1000, 400
	mantissa, exponent := s, ""
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, exponent = s[:i], s[i+1:]
	}
	if len(mantissa) > mostDigits {
		return true
	}
	n, err := strconv.Atoi(exponent)
	return exponent != "" && (err != nil || n > mostExponent || n < -mostExponent)
}
