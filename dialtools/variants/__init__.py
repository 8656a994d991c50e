"""Variants of records: kinds chosen, variants drawn and measured, turn-taking, similarity."""
