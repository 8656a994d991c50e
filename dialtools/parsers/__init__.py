"""Parsers, one file each; plugins/parser.py says what each declares."""
