"""The commands, one file each: a filter (a generator function), then its click command."""
