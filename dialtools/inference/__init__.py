"""What dt-generate does around its generators: prompts, servers, answers and their cache."""
