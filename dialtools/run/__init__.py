"""How a command runs: its work, what fails kept apart, in several processes, and on from where it was cut off."""
