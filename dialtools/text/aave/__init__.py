"""Rules that write African American Vernacular English: which feature may stand where, and how.

sentences.py   the sentence that a rule sees, and the edits that it makes
negation.py, be.py, verbs.py, nouns.py   the rules: rule(sentence) -> sites

languages/en/aave.tsv names the features in the order of their rules, with
their numbers in eWAVE; languages/en/aave_words.tsv holds the words that rules
ask for.  Rules never respell words to mimic how they sound.
"""
