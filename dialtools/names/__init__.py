"""Names of speakers: who is in a record, what they are called anew, where their names stand, and back again.

The way of a record through dt-swap-names, and who knows of each step:

1. `roster` tells who is to be renamed: speakers, declared people, names of --also.
2. `families` and `fullnames` tell the parts of a name: titles and signs, that stay, a family name, a given one.
3. `drawing` draws a new name for each, of its gender, that is not in the record, from `pools`; or a `mapping` gives it.
4. `forms` tells how else a name can be written (readings, other scripts, 小王 of 王芳), and what each form becomes.
5. `undeclared` adds forms that may mean one of the names, `resemblance` words that look like short forms and
   misspellings, `namesakes` full names of other people that hold one: they are kept and listed.
6. `finding` finds each place where one of all these forms stands in a text, the longest first, however it is written
   (`encoding`) and with the endings of the language (`sounds`).
7. `deciding` says of each whether it is a name or a word (Will, 光), by its tokens or by what stands beside it, and
   `longer` whether it is but a part of a longer word.
8. `writing` gives the new name the look of the old one, and `agreement` changes what agrees with it (an Anna, a Zoe).
9. `swapping` goes over all texts of the record so, and returns the edits, what was left and why, and the map.
10. `restoring` undoes the edits, and takes a prediction the same way (4 to 8) with the map turned round.

What is customary in one language (小王 of 王芳, 健ちゃん of 健太) stands in its file of `customs/`.

`report` sums up what was left; `groups` and `checking` are of dt-names, which makes and checks pools.
"""
