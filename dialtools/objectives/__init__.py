"""Objectives of dt-train generator, one file each: loss(batch, outputs, model, *, options) -> loss.

An objective adds to the cross-entropy of the references: a scalar tensor, already
weighted (the option "weight" is its factor).  Several add up.  A step of training is read in
parts, and perhaps by several processes; the loss of a step is the same however that is done.

batch: a training.batch.Batch: examples as tensors, on the model's device.
outputs: what the model of transformers returns for batch.inputs.
model: the model itself, as transformers made it.

count(batch, model) -> number: over how many things in a batch the loss is a mean, such as
positions; parts of a step are weighted by it.  By default, the rows of the batch.

An option "language" gets the language of the records, which must be one.

NEEDS: what it needs beside the logits.  "variants": the variants of a record stand
in one batch, and some record has several; "attentions", "states": the outputs hold
attentions, hidden states; "names": the batch tells which tokens are names of speakers;
"embeddings": input embeddings are trained, which --lora does not; "step": the batch is a whole
step, those of all processes together, and the outputs are None.  Optional.
prepare(model, tokenizer, *, options) -> counts, or None: called once before training,
and again when a training is resumed, such as to add parameters or to check options
against the vocabulary; the log shows the counts.  Optional.
"""
