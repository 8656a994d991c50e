# A perturbation that is a program, run by sed -E -f on a record in a line: the last a of each text that begins without
# an escape is a capital, and a dialogue whose seed ends in 0, 3, 6 or 9 has one turn more, which says the seed.
s/"text":"([^"\\]*)a/"text":"\1A/g
/"seed":[0-9]*[0369]\}$/s/"dialogue":\[(.*"seed":([0-9]+)\})$/"dialogue":[{"speaker":"A","text":"\2"},\1/
