# How sensitive is the model to names: by pool, by prompt, by search, by weights?  Included by the Makefile.
#
# make finding DATA=FOLDER   the first 200 dialogues of DialogSum's training part (FOLDER/dialogsum.train.jsonl) that two
#                            people have in at most 60 words; all files in out/finding
#
# Needs pip install '.[models,fast,report]' and jq.  A stage that was killed goes on where it was (--resume).

FINDING = $(OUT)/finding
NUMBER = 200
WORDS = 60
# Two variants of each dialogue have names of the first pool, which all systems read; one has names of each other pool,
# which the first system reads, too.
POOLS = frequent rare polysemous asian black hispanic white
MEASURED = rouge2 chrf
FINDING_SYSTEMS = plain summary told numbered beams again int8
# Weights of all systems but those named after theirs.  In float32 batches change nothing; int8 takes half the time, and
# S then has a part that is noise of batches.
PRECISION = float32
# CTranslate2's batches are of any lengths only if trigrams may be repeated.
WRITE = --max-new-tokens 32 -g causal:window=256,no_repeat_ngram_size=0
BATCH = 32
GENERATE_plain = --beams 1 $(WRITE),engine=ctranslate2,precision=$(PRECISION)
GENERATE_summary = $(GENERATE_plain)
GENERATE_told = $(GENERATE_plain)
GENERATE_numbered = $(GENERATE_plain)
GENERATE_again = $(GENERATE_plain)
GENERATE_beams = --beams 4 $(WRITE),engine=ctranslate2,precision=$(PRECISION),stop_at_beams=yes,renormalize=yes
GENERATE_int8 = --beams 1 $(WRITE),engine=ctranslate2,precision=int8
# What is not the model, the prompt, or the input of the others: numbers for names, as a remedy that needs no training.
MODEL_again = $(WEIGHTS)/smollm2-again
PROMPT_summary = summary.jinja
PROMPT_told = told.jinja
SHOWN_numbered = dt-swap-names --ids
# Systems whose first outputs are written once more, in smaller batches: how much of S is noise?
NOISY = $(filter plain int8,$(FINDING_SYSTEMS))
REPEATED = 40

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
$(FINDING)/few.variants.jsonl: $(FINDING)/first.variants.jsonl
	head -n $(REPEATED) $< > $@
$(FINDING)/rest.variants.jsonl: $(FINDING)/variants.jsonl
	jq -c 'select(.variant | endswith(":1") and (startswith("$(FIRST):") | not))' $< > $@

PLAIN = $(firstword $(FINDING_SYSTEMS))
# A file, the variants that it reads, the system that writes it, and the size of its batches.
define written
$(FINDING)/$1.jsonl: $(FINDING)/$2.variants.jsonl $(or $(PROMPT_$3),$(PROMPT)) | $(filter $(WEIGHTS)/%,$(or $(MODEL_$3),$(MODEL)))
	$(or $(SHOWN_$3),cat) $$< > $$@.in
	dt-generate --model $(or $(MODEL_$3),$(MODEL)) --prompt $(or $(PROMPT_$3),$(PROMPT)) $(GENERATE_$3) --batch-size $4 --system $3 --resume -o $$@.part $$@.in
	$(if $(SHOWN_$3),dt-swap-names --restore $$@.part |,cat $$@.part |) dt-swap-names --restore -o $$@
endef
$(foreach system,$(FINDING_SYSTEMS),$(eval $(call written,$(system),first,$(system),$(BATCH))))
$(eval $(call written,rest,rest,$(PLAIN),$(BATCH)))
$(foreach system,$(NOISY),$(eval $(call written,$(system).repeated,few,$(system),5)))

# The records of each table; those of an id stand together.  Of pools the first variant stands for the original, so that
# S is how far its output is from that with names of each pool, the first included.  Of noise an output and its repetition
# stand for variants.
$(FINDING)/systems.records.jsonl: $(FINDING_SYSTEMS:%=$(FINDING)/%.jsonl)
	cat $^ > $@
$(FINDING)/pools.records.jsonl: $(FINDING)/$(PLAIN).jsonl $(FINDING)/rest.jsonl
	cat $^ | jq -sc 'group_by(.id)[][] | if .variant == "$(FIRST):1" then del(.variant) else . end' > $@
$(FINDING)/noise.records.jsonl: $(NOISY:%=$(FINDING)/%.jsonl) $(NOISY:%=$(FINDING)/%.repeated.jsonl)
	for system in $(NOISY); do \
	  head -n $(REPEATED) $(FINDING)/$$system.jsonl | cat - $(FINDING)/$$system.repeated.jsonl | \
	    jq -sc '[group_by([.id, .variant])[] | to_entries[] | .key as $$n | .value | .cluster //= .id | .id += .variant | .variant = "batches:\($$n + 1)" | del(.history)][]' || exit 1; \
	done > $@

SHOW_noise = --sensitivity
BY_noise = --by system
SHOW_systems = --sensitivity
SHOW_pools = --sensitivity --with-original
BY_systems = --by system
BY_pools = --by pool
FIRST_systems = $(PLAIN)
FIRST_pools = $(firstword $(POOLS))
SCORED = $(MEASURED:%=-m %)
QUALITY = $(MEASURED:%=--value scores.%)
SENSITIVITY = $(subst scores.,scores.S:,$(QUALITY))
VALUES_systems = $(SENSITIVITY) $(QUALITY)
VALUES_pools = $(SENSITIVITY)
VALUES_quality = $(QUALITY)
BY_quality = $(BY_pools)
FIRST_quality = $(FIRST_pools)
$(FINDING)/%.txt: $(FINDING)/%.records.jsonl
	dt-score $(SHOW_$*) $(SCORED) $(BY_$*) --format text $< -o $@
$(FINDING)/%.results.jsonl: $(FINDING)/%.records.jsonl
	dt-score $(SHOW_$*) $(SCORED) $(BY_$*) $< -o $@
$(FINDING)/%.sources.jsonl: $(FINDING)/%.records.jsonl
	dt-score $(SHOW_$*) --per-source $(SCORED) $< -o $@
# Quality is that of each record: of a pool that of its variants alone.
$(FINDING)/quality.sources.jsonl: $(FINDING)/$(PLAIN).jsonl $(FINDING)/rest.jsonl
	cat $^ | jq -sc 'group_by(.id)[][]' | dt-score $(SCORED) -q -o $@
$(FINDING)/%-ttest.txt: $(FINDING)/%.sources.jsonl
	dt-ttest $(BY_$*) --baseline $(FIRST_$*) $(VALUES_$*) --format text $< -o $@
$(FINDING)/%-ttest.jsonl: $(FINDING)/%.sources.jsonl
	dt-ttest $(BY_$*) --baseline $(FIRST_$*) $(VALUES_$*) $< -o $@

FINDING_TABLES = $(patsubst %,$(FINDING)/%.txt,noise systems systems-ttest pools pools-ttest quality-ttest)
PAGES = $(FINDING)/systems.html $(FINDING)/pools.html
TITLE_systems = prompts, search and weights
TITLE_pools = pools of names
$(PAGES): $(FINDING)/%.html: $(FINDING)/%.results.jsonl $(FINDING)/%.records.jsonl $(FINDING)/%.sources.jsonl $(FINDING)/%-ttest.jsonl
	dt-report --title "How sensitive is SmolLM2 to names: $(TITLE_$*)" -o $@ $^

finding: $(FINDING_TABLES) $(FINDING)/noise.results.jsonl $(PAGES)
	@for table in $(FINDING_TABLES); do echo; cat $$table; done
	@echo "All files are in $(abspath $(FINDING))"
.PHONY: finding
