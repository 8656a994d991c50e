"""Slips of grammar."""
