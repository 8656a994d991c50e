"""What scored records say together, one file each."""
