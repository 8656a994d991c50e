"""Other words, forms and dialects."""
