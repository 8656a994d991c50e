"""Words, phrases, terms and sentences in texts: found, compared and rewritten."""
