"""What dt-ttest does around its tests: which numbers belong together, what is compared, what may be concluded."""
