"""Statistics for whoever needs them: moments, distributions, resampling."""
