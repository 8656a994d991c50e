"""The dependency parser that dt-train trains: treebanks, network, trees, training."""
