"""Formats, one file each; plugins/format.py says what each declares."""
