package host

import (
	"maps"
	"path/filepath"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/script"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// computedScripts returns the files of the scripted models that expressions name with the inputs and the
// environment of a run. Inputs that are left out have their defaults; those of a used workflow are not known.
func (l *Loaded) computedScripts(inputs map[string]any) (files []string) {
	known := defaults(l.Workflow)
	maps.Copy(known, inputs)
	for _, w := range l.all {
		for _, named := range w.NamedModels() {
			if _, static := named.Static(); static || w != l.Workflow && named.Mentions("inputs") {
				continue
			}
			value, err := named.Eval(l.env.names(w, known))
			if err == nil { // otherwise it depends on a step
				files = append(files, scriptsIn(w, value)...)
			}
		}
	}
	return files
}

// namedScripts returns the files of all scripted models that the workflows name, whether a run asks them
// or not: also those of short names, and those that stand in an expression as a text.
func (l *Loaded) namedScripts() (files []string) {
	for _, w := range l.all {
		for _, named := range w.NamedModels() {
			files = append(files, scriptsIn(w, named.Texts())...)
		}
		for _, refs := range w.Models {
			files = append(files, scriptsIn(w, refs)...)
		}
	}
	return files
}

// scriptsIn returns the files of the scripted models in what names models: a reference, or a list of them.
func scriptsIn(w *workflows.Workflow, named any) (files []string) {
	switch named := named.(type) {
	case string:
		if name, scripted := strings.CutPrefix(named, scriptProvider+"/"); scripted && name != "" {
			files = append(files, paths.In(w.Dir, filepath.FromSlash(name)))
		}
	case []string:
		for _, ref := range named {
			files = append(files, scriptsIn(w, ref)...)
		}
	case []any:
		for _, ref := range named {
			files = append(files, scriptsIn(w, ref)...)
		}
	}
	return files
}

// scriptOf reads the file of a scripted model. Mistakes in it are [workflows.Diagnostics].
func scriptOf(file string) (*workflows.ScriptedModel, error) {
	data, err := ReadSource(file)
	if err != nil {
		return nil, configuration("paths of scripts start at the workflow's folder", "script %s: %v", file, err)
	}
	read, found := workflows.ParseScript(file, data)
	if read == nil {
		return nil, found
	}
	return read, nil
}

// playedScript converts a script for playing.
func playedScript(read *workflows.ScriptedModel) script.Script {
	played := script.Script{Steps: map[string][]script.Turn{}}
	for step, turns := range read.Steps {
		played.Steps[step] = []script.Turn{}
		for _, turn := range turns {
			played.Steps[step] = append(played.Steps[step], playedTurn(turn))
		}
	}
	return played
}

// playedTurn returns a turn that is evaluated over what the model would see.
func playedTurn(turn *workflows.ScriptedTurn) script.Turn {
	return func(scene script.Scene) (script.Answer, error) {
		a, err := turn.Play(scene.Env())
		if err != nil {
			return script.Answer{}, err
		}
		answer := script.Answer{
			Thinking: a.Thinking, Text: a.Text, Output: a.Output, HasOutput: a.HasOutput,
			Finish: a.Finish, Delay: a.Delay, Error: (*script.Failure)(a.Error),
		}
		for _, call := range a.Calls {
			answer.Calls = append(answer.Calls, script.Call(call))
		}
		if u := a.Usage; u != nil {
			answer.Usage = &providers.Usage{
				InputTokens: u.InputTokens, OutputTokens: u.OutputTokens,
				CachedInputTokens: u.CachedInputTokens, ReasoningTokens: u.ReasoningTokens,
			}
		}
		return answer, nil
	}
}
