"""Variants of records: kinds of perturbation chosen, variants drawn, measured and undone."""

# sets of kinds that dt-perturb --presets names
PRESETS = {
    # Evaluating Robustness of Open Dialogue Summarization Models in the Presence of Naturally
    # Occurring Variations, section 3 and appendix A.4; of its speech errors the fillers and the
    # disfluencies are two
    "paper": (
        "typo.punctuation",
        "typo.whitespace",
        "typo.case",
        "typo.contraction",
        "typo.keyboard",
        "grammar.determiner",
        "grammar.agreement",
        "variation.synonym",
        "variation.inflection",
        "variation.aave",
        "asr.homophone",
        "asr.filler",
        "asr.disfluency",
        "dialogue.repetition",
        "dialogue.repetition:targeted=most",
        "dialogue.repetition:targeted=least",
        "dialogue.delay",
        "dialogue.greeting",
        "dialogue.closing",
        "dialogue.split",
        "dialogue.combine",
    )
}
