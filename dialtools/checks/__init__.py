"""What is wrong or odd in records, and what language their texts look like."""
