"""Perturbations, one file each; plugins/perturbation.py says what each declares."""
