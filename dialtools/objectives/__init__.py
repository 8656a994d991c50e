"""Objectives of dt-train generator, one file each; plugins/objective.py says what each declares."""
