"""What dt-perturb does around its kinds: choosing, drawing, measuring; what several kinds have in common."""
