"""Results for people to look at: tables, and records side by side."""
