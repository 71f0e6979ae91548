package main

import (
	"context"

	"github.com/a-seed-11b9befa/flow/runner"
)

// equip gives the run its tools, and starts the servers that it can't do
// without. An error says that one of these did not start.
func (s *session) equip(ctx context.Context, boxes *toolboxes) error {
	beside := &alarm{say: func(message string) { s.say(message, "") }}
	boxes.warn = beside.warn
	boxes.servers.folder, boxes.servers.mask = s.options.Dir, s.options.Mask
	s.options.Attach = beside.attach
	s.options.Tools = boxes.box
	top, err := runner.Link(s.options)
	if err != nil {
		return err
	}
	if err := boxes.servers.require(ctx, s.workflow, s.options.Inputs, top.Workspace()); err != nil {
		beside.abandon()
		return err
	}
	return nil
}
