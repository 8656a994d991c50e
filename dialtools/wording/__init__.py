"""Words, phrases and terms of languages: found, compared, written; what a language says itself is its data."""
