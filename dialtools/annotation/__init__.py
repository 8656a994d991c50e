"""Around dt-parse: where tokens stand in a record, texts too long for a parser, the choice of a parser."""
