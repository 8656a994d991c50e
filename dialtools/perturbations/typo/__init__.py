"""Typing errors."""
