"""Turns that are added, moved, split or joined."""
