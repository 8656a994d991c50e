"""Names of speakers: who is in a record, what they are renamed to, and how to get back.

`lexicon` is what a language knows of names, made once and passed on, with the `patterns` of what
stands beside them; `customs/` has a file for each language with name customs of its own.
`record_texts` is what a record says, read once.  A record passes through these modules on its way
through dt-swap-names:

1. `roster` lists who is renamed: speakers, declared people, names of --person; `introductions`
   finds whom a text introduces.
2. `full_names` splits a name into titles and signs, which stay, a family name and a given name.
3. `drawing` draws a name of the same gender for each person, for each variant, from the `pools` of
   the language or the user's; with --map, `maps` gives it.
4. `forms` lists other ways to write a name (readings, scripts, 小王 of 王芳) and what each becomes.
5. `undeclared` adds forms that may mean one of the names, such as words that look like short
   forms and misspellings, `namesakes` full names of other people. These are kept and listed.
6. `search` finds each place of a form in a text, the longest form first, in every way of writing
   it and with the endings of the language.
7. `ambiguity` decides whether a mention is a name, a word (Will, 光), by its tokens or its
   context, or part of a longer word.
8. `replacement` writes the new name as the old one was written, and changes words and endings that
   agree with it (an Anna, a Zoe).
9. `swaps` applies steps 4 to 8 to all texts of a record, and finds names once for all variants.
10. `restoration` undoes the edits, and applies steps 4 to 8 with the reversed map to a prediction;
    what that copies from the input comes back exactly.

`collecting` makes pools of a corpus for dt-names, `occurrences` follows names into prompts.
"""
