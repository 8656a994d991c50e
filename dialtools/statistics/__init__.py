"""Moments, distributions, ranks, resampling, effect sizes, power and corrections, without scipy."""
