"""What a record is: JSON Lines, dialogue, tokens, edits and the history of a record."""
