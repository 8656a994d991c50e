"""What a speech recogniser gets wrong, and what speakers do that writers do not."""
