// The graph of the workflow.
