"""Tokens and other spans, and how they follow the edits of their text."""
