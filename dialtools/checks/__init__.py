"""What is wrong or odd in records, what language they look like, and whether they are as expected."""
