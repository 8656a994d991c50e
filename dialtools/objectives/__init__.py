"""Objectives of dt-train generator, one file each: loss(batch, outputs, model, *, options) -> loss.

An objective adds to the cross-entropy of the references: a scalar tensor, already
weighted (the option "weight" is its factor).  Several add up.

batch: a training.batch.Batch: examples as tensors, on the model's device.
outputs: what the model of transformers returns for batch.inputs.
model: the model itself, as transformers made it.

An option "language" gets the language of the records, which must be one.

NEEDS: what it needs beside the logits.  "variants": the variants of a record stand
in one batch, and some record has several; "attentions", "states": the outputs hold
attentions, hidden states; "names": the batch tells which tokens are names of speakers;
"embeddings": input embeddings are trained, which --lora does not.  Optional.
prepare(model, tokenizer, *, options) -> counts, or None: called once before training,
and again when a training is resumed, such as to add parameters or to check options
against the vocabulary; the log shows the counts.  Optional.
"""
