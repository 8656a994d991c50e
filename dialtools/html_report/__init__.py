"""dt-report: files recognised, numbers and cases drawn from them, one page of HTML."""
