"""What PAPER=1 of each example reads, made up and small, in the form of the published data; one file an example.

Each file has `write(folder) -> dict[str, str]`: it fills the folder with such data and with tiny models of the paper's
kind, and returns the variables for make (DATA, MODEL, epochs).  A minus in a file's name is written as an underscore.
"""
