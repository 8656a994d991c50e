# How sensitive is the model to names: by pool, by prompt, by search, by weights?  Included by the Makefile.
#
# make finding DATA=FOLDER   the first 200 dialogues of DialogSum's training part (FOLDER/dialogsum.train.jsonl) that two
#                            people have in at most 60 words; all files in out/finding
#
# Needs pip install '.[models,fast,report]' and jq.  A stage that was killed goes on where it was (--resume).

FINDING = $(OUT)/finding
NUMBER = 200
WORDS = 60
# Two variants of each dialogue have names of the first pool, which all systems read, and one has names of each other pool.
POOLS = frequent rare polysemous asian black hispanic white
FINDING_SYSTEMS = plain summary told beams float32 again bfloat16
# CTranslate2's batches are of any lengths only if trigrams may be repeated.
WRITE = --max-new-tokens 32 --batch-size 32 -g causal:window=256,no_repeat_ngram_size=0
GENERATE_plain = --beams 1 $(WRITE),engine=ctranslate2,precision=int8
GENERATE_summary = $(GENERATE_plain)
GENERATE_told = $(GENERATE_plain)
GENERATE_beams = --beams 4 $(WRITE),engine=ctranslate2,precision=int8,stop_at_beams=yes,renormalize=yes
GENERATE_float32 = --beams 1 $(WRITE),engine=ctranslate2,precision=float32
GENERATE_bfloat16 = --beams 1 $(WRITE),precision=bfloat16
GENERATE_again = $(GENERATE_plain)
# What is not the model, or the prompt, of the others.
MODEL_again = $(WEIGHTS)/smollm2-again
PROMPT_summary = summary.jinja
PROMPT_told = told.jinja

# The weights rounded once more, to four bits.
$(WEIGHTS)/smollm2-again: | $(WEIGHTS)/packages
	PYTHONPATH=$(WEIGHTS)/packages:$$PYTHONPATH $(PYTHON) weights.py $@ 64

# The speakers, #Person1# and #Person2#, get names first, so that all variants keep their genders.
SHORT = select([.dialogue | scan("\\S+")] | length <= $(WORDS)) | \
  select([.dialogue | scan("\#Person[0-9]+\#:")] | unique | length == 2)
$(FINDING)/train.jsonl:
	@test -f $(DATA)/dialogsum.train.jsonl || { echo "make finding needs DATA=FOLDER that holds dialogsum.train.jsonl" >&2; exit 2; }
	mkdir -p $(FINDING)
	dt-convert --from dialogsum $(DATA)/dialogsum.train.jsonl -o $@
$(FINDING)/dialogues.jsonl: $(FINDING)/train.jsonl
	jq -nc 'limit($(NUMBER); inputs | $(SHORT))' $< | dt-swap-names --pool frequent --seed 7 | jq -c 'del(.history, .variant)' > $@

$(FINDING)/variants.jsonl: $(FINDING)/dialogues.jsonl
	dt-swap-names $(POOLS:%=--pool %) --variants 2 --seed 1 $< -o $@
FIRST = names.$(firstword $(POOLS))
$(FINDING)/first.variants.jsonl: $(FINDING)/variants.jsonl
	jq -c 'select(.variant | startswith("$(FIRST):"))' $< > $@
$(FINDING)/rest.variants.jsonl: $(FINDING)/variants.jsonl
	jq -c 'select(.variant | endswith(":1") and (startswith("$(FIRST):") | not))' $< > $@

# A file, what it reads, and the system that writes it.
PLAIN = $(firstword $(FINDING_SYSTEMS))
define written
$(FINDING)/$1.jsonl: $(FINDING)/$2.variants.jsonl $(or $(PROMPT_$3),$(PROMPT)) | $(filter $(WEIGHTS)/%,$(or $(MODEL_$3),$(MODEL)))
	dt-generate --model $(or $(MODEL_$3),$(MODEL)) --prompt $(or $(PROMPT_$3),$(PROMPT)) $(GENERATE_$3) --system $3 --resume -o $$@.part $$<
	dt-swap-names --restore $$@.part -o $$@
endef
$(foreach system,$(FINDING_SYSTEMS),$(eval $(call written,$(system),first,$(system))))
$(eval $(call written,rest,rest,$(PLAIN)))

# The records of each table; those of an id stand together.  Of pools the first variant stands for the original, so that
# S is how far its output is from that with names of each pool, the first included.
$(FINDING)/systems.records.jsonl: $(FINDING_SYSTEMS:%=$(FINDING)/%.jsonl)
	cat $^ > $@
$(FINDING)/pools.records.jsonl: $(FINDING)/$(PLAIN).jsonl $(FINDING)/rest.jsonl
	cat $^ | jq -sc 'group_by(.id)[][] | if .variant == "$(FIRST):1" then del(.variant) else . end' > $@

SHOW_systems = --sensitivity
SHOW_pools = --sensitivity --with-original
BY_systems = --by system
BY_pools = --by pool
FIRST_systems = $(PLAIN)
FIRST_pools = $(firstword $(POOLS))
QUALITY = --value scores.rouge2 --value scores.chrf --value 'scores.cosine:model=$(ENCODER)'
SENSITIVITY = $(subst scores.,scores.S:,$(QUALITY))
VALUES_systems = $(SENSITIVITY) $(QUALITY)
VALUES_pools = $(SENSITIVITY)
VALUES_quality = $(QUALITY)
BY_quality = $(BY_pools)
FIRST_quality = $(FIRST_pools)
$(FINDING)/%.txt: $(FINDING)/%.records.jsonl | $(ENCODER_PACKAGE)
	dt-score $(SHOW_$*) $(METRICS) $(BY_$*) --format text $< -o $@
$(FINDING)/%.results.jsonl: $(FINDING)/%.records.jsonl | $(ENCODER_PACKAGE)
	dt-score $(SHOW_$*) $(METRICS) $(BY_$*) $< -o $@
$(FINDING)/%.sources.jsonl: $(FINDING)/%.records.jsonl | $(ENCODER_PACKAGE)
	dt-score $(SHOW_$*) --per-source $(METRICS) $< -o $@
# Quality is that of each record: of a pool that of its variants alone.
$(FINDING)/quality.sources.jsonl: $(FINDING)/$(PLAIN).jsonl $(FINDING)/rest.jsonl | $(ENCODER_PACKAGE)
	cat $^ | jq -sc 'group_by(.id)[][]' | dt-score $(METRICS) -q -o $@
$(FINDING)/%-ttest.txt: $(FINDING)/%.sources.jsonl
	dt-ttest $(BY_$*) --baseline $(FIRST_$*) $(VALUES_$*) --format text $< -o $@
$(FINDING)/%-ttest.jsonl: $(FINDING)/%.sources.jsonl
	dt-ttest $(BY_$*) --baseline $(FIRST_$*) $(VALUES_$*) $< -o $@

FINDING_TABLES = $(patsubst %,$(FINDING)/%.txt,systems systems-ttest pools pools-ttest quality-ttest)
PAGES = $(FINDING)/systems.html $(FINDING)/pools.html
TITLE_systems = prompts, search and weights
TITLE_pools = pools of names
$(PAGES): $(FINDING)/%.html: $(FINDING)/%.results.jsonl $(FINDING)/%.records.jsonl $(FINDING)/%.sources.jsonl $(FINDING)/%-ttest.jsonl
	dt-report --title "How sensitive is SmolLM2 to names: $(TITLE_$*)" -o $@ $^

finding: $(FINDING_TABLES) $(PAGES)
	@for table in $(FINDING_TABLES); do echo; cat $$table; done
	@echo "All files are in $(abspath $(FINDING))"
.PHONY: finding
