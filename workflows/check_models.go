package workflows

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/format"
	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// scriptProvider is the provider whose models are files.
const scriptProvider = "script"

// builtIn reports whether a provider needs no entry under providers.
func (p *parser) builtIn(provider string) bool {
	return provider == scriptProvider || slices.Contains(p.loader.opts.Providers, provider)
}

// checkModels checks providers, prices, and every model that is named without an
// expression.
func (p *parser) checkModels() {
	for name := range p.workflow.Providers {
		if p.builtIn(name) || strings.ContainsAny(name, "/ ") || name == "" {
			p.Errorf(p.keyIn("providers", name), diagnostic.CodeValue, "%q can't be the name of a provider of one's own", name)
		}
	}
	p.checkEndpoints()
	for _, m := range p.models {
		if strings.Contains(m.Name.Text, "/") {
			p.Errorf(m.Name, diagnostic.CodeValue, "a short name of a model has no slash: %q", m.Name.Text)
		}
		if len(m.Value) == 0 {
			p.Errorf(m.Name, diagnostic.CodeValue, "the short name %q stands for no model", m.Name.Text)
		}
		for _, ref := range m.Value {
			p.checkReference(ref.Text, ref.Node)
		}
	}
	p.priceOwnModels()
	for model := range p.workflow.Prices {
		p.checkPriced(model, p.keyIn("prices", model))
	}
	p.checkModel(p.defaults.Agent.Model)
	for _, step := range everyStep(p.workflow.Steps) {
		if step.Agent != nil && step.node.Get("model") != nil {
			p.checkModel(step.Agent.Model)
		}
	}
}

// priceOwnModels adds the prices that the file's own providers have for their models.
func (p *parser) priceOwnModels() {
	for name, e := range p.workflow.Providers {
		for model, known := range e.Models {
			ref := name + "/" + model
			if _, priced := p.workflow.Prices[ref]; priced || known.Price == nil {
				continue
			}
			if p.workflow.Prices == nil {
				p.workflow.Prices = map[string]Price{}
			}
			p.workflow.Prices[ref] = *known.Price
		}
	}
}

// checkEndpoints checks the addresses and keys of the file's own providers.
func (p *parser) checkEndpoints() {
	for name, e := range p.workflow.Providers {
		given := p.root.Get("providers").Get(name)
		switch {
		case strings.HasPrefix(e.APIKeyEnv, "$"):
			p.Errorf(given.Get("api_key_env"), diagnostic.CodeModel, "api_key_env takes the name of a variable").Hint = "without the $"
		case e.BaseURL == "" && e.API == "azure":
			p.Errorf(p.keyIn("providers", name), diagnostic.CodeModel, "the provider %q has no base_url, and each resource of Azure has its own", name).Hint =
				"such as https://<resource>.openai.azure.com"
		case e.BaseURL != "" && !isWebAddress(e.BaseURL):
			p.Errorf(given.Get("base_url"), diagnostic.CodeModel, "the base_url of the provider %q is no http or https URL", name).Hint = addressHint
		}
	}
}

const addressHint = "such as https://api.example.com/v1"

func isWebAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}

// checkModel checks a model, or a list of them.
func (p *parser) checkModel(v *Value) {
	if v == nil {
		return
	}
	for _, item := range v.items {
		p.checkModel(item)
	}
	if name, isText := v.literal.(string); isText && v.template == nil {
		if _, short := p.workflow.Models[name]; !short {
			p.checkReference(name, v.node)
		}
	}
}

// checkReference checks a model of the form provider/model, and loads the file of
// script/<file>.
func (p *parser) checkReference(ref string, n *tree.Node) {
	provider, model, slash := strings.Cut(ref, "/")
	known := p.loader.opts.Providers
	_, own := p.workflow.Providers[provider]
	names := func() []string {
		return slices.Concat(known, []string{scriptProvider}, slices.Sorted(maps.Keys(p.workflow.Providers)))
	}
	switch {
	case !slash:
		d := p.Errorf(n, diagnostic.CodeModel, "%q is no model: it is neither provider/model nor a short name under models", ref)
		d.Hint = p.hintModel(ref, names())
	case known != nil && !own && provider != scriptProvider && !slices.Contains(known, provider):
		providers := names()
		d := p.Errorf(n, diagnostic.CodeModel, "the provider %q is not known", provider)
		d.Hint = "known: " + tree.Quoted(providers)
		if meant := cmp.Or(ProviderOf(provider), nearest.Of(provider, providers)); slices.Contains(providers, meant) {
			d.Hint = fmt.Sprintf("did you mean %q?", meant+"/"+model)
		}
	case model == "":
		p.Errorf(n, diagnostic.CodeModel, "%q names no model after the slash", ref)
	case provider == scriptProvider:
		p.loadScript(model, n)
	default:
		if near := nearModel(ref, p.loader.opts.Models); near != "" && !own {
			p.Warnf(n, diagnostic.CodeModel, "flow knows no model %s", ref).Hint = fmt.Sprintf("did you mean %q?", near)
		}
	}
}

// nearModel returns the known model whose name is one letter away from ref, or "" for
// none. Another digit is most likely another version, which is not known yet.
func nearModel(ref string, known []string) string {
	provider, _, _ := strings.Cut(ref, "/")
	likely := func(other string) bool {
		return strings.HasPrefix(other, provider+"/") && withoutNumbers(other) != withoutNumbers(ref)
	}
	if slices.Contains(known, ref) {
		return ""
	}
	return nearest.Within(1, ref, slices.DeleteFunc(slices.Clone(known), func(other string) bool { return !likely(other) }))
}

func withoutNumbers(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r == '.' {
			return -1
		}
		return r
	}, name)
}

// hintModel suggests a model for a name without a provider.
func (p *parser) hintModel(name string, providers []string) string {
	prefix, model, colon := strings.Cut(name, ":")
	brand, _, _ := strings.Cut(name, "-")
	of := func(known string) bool {
		provider, model, _ := strings.Cut(known, "/")
		return model == name && slices.Contains(providers, provider)
	}
	meant := nearest.Of(name, slices.Sorted(maps.Keys(p.workflow.Models)))
	switch at := slices.IndexFunc(p.loader.opts.Models, of); {
	case meant != "":
	case colon && model != "" && slices.Contains(providers, prefix):
		meant = prefix + "/" + model
	case at >= 0:
		meant = p.loader.opts.Models[at]
	case slices.Contains(providers, ProviderOf(brand)):
		meant = ProviderOf(brand) + "/" + name
	default:
		return "such as openai/gpt-5-mini or script/demo.script.yaml"
	}
	return fmt.Sprintf("did you mean %q?", meant)
}

// ProviderOf returns the provider that is meant by the name of a vendor, a product or a
// family of models; "" for none.
func ProviderOf(name string) string { return format.Foreign("providers")[strings.ToLower(name)] }

// loadScript reads the file of a scripted model, once, and reports its mistakes.
func (p *parser) loadScript(name string, n *tree.Node) {
	file := p.path(name)
	if p.loader.scripts[file] || p.loader.opts.ReadFile == nil || p.loader.opts.NoScripts {
		return
	}
	text, ok := p.loader.readAside(p, word{Text: name, Node: n}, diagnostic.CodeScript)
	if !ok {
		return
	}
	p.loader.scripts[file] = true
	readScript(p.loader.nameOf(file), text, p.Report)
}

// keyIn returns the node of a key in a map at the top of the file, or the nearest node
// around it.
func (p *parser) keyIn(top, name string) *tree.Node {
	if m := p.root.Get(top); m != nil {
		return m.Key(name)
	}
	return p.root
}
