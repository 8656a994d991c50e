"""What dt-train does around the trainers of transformers: data, batches, guards, folders, a log."""
