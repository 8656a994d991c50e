"""Plug-ins declared, found, described and bound; options declared once."""
