"""Terms for groups of people, and for what is said of them, exchanged or left out."""
