"""What dt-score does around its metrics: what they get of records, what becomes of their numbers."""
