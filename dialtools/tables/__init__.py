"""Results for people to look at: tables, and records side by side."""

FORMATS = ("text", "markdown", "latex", "csv", "json")
