"""Models, loaded and kept; the only place that knows devices, precision and the hub."""
