package host

import (
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/script"
	"github.com/a-seed-11b9befa/flow/workflows"
)

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
