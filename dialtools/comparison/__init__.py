"""Comparisons of dt-ttest: groups of numbers, samples, tests, corrections, verdicts, tables."""
