"""Tests of dt-ttest, one file each; plugins/hypothesis_test.py says what each declares."""
