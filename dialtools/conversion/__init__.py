"""Items of other tools' files, made into records."""
