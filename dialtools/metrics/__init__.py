"""Metrics, one file each; plugins/metric.py says what each declares."""
