"""Around dt-train's and dt-parse's own dependency parser: treebanks, vocabularies, the network, trees, training."""
