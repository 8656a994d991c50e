"""Formats, one file each: read(file, *, options) -> (place, record) pairs, write(records) -> lines.

file: binary; it may be read only once, from beginning to end.
place: the place of an item in the file, "LINE" or "item N"; `items.each` pairs it with the records.
recognise(head): do these first bytes of a file look like this format?  --from auto needs it.
write: if the format can be written; each string ends with its line end.
"""
