"""The files of other tools, item by item, made records."""
