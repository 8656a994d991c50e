"""Generators, one file each; plugins/generator.py says what each declares."""
