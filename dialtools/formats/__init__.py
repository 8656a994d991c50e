"""Formats, one file each: read(file, *, options) -> pairs (place, record), and write(records) -> lines.

file: binary; it may be read only once, from the beginning to the end.
place: where in the file an item stands, "LINE" or "item N"; `items.each` pairs it with the records.
recognise(head): do these first bytes of a file look like this format?  Without it, --from auto never takes it.
write: where the format can be written; each string holds its line end.
"""
