"""Speaker names: pools, drawing, finding, replacing and restoring."""
