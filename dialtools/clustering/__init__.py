"""dt-cluster: vectors of texts kept on disk, divided into clusters, and drawn as a tree."""
