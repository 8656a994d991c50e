"""Formats, one file each: read(file, *, options) -> records, and write(records) -> lines where it makes sense."""
