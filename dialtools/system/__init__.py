"""What everything stands on: files, signals, terminal, errors, stable hashing."""
