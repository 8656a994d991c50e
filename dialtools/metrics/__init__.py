"""Metrics, a file for each or for a family; plugins/metric.py says what each declares."""
