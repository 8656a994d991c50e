"""The run of a command: input, filter, failures, worker processes, resumption."""
