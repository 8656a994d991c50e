"""What dt-generate does around its generators: prompts, servers, answers, what is kept of them."""
