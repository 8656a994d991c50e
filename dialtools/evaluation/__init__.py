"""Metrics applied to records: the texts that they get, and the scores that they give."""
