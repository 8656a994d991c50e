# make demo   the main job on sample dialogues in five languages, and a page of it for a browser; needs python3 (3.10 or
#             newer) and bash
# make demo MODEL=yes   also the job with a model with real weights, and its page: 180 MB of packages, some ten minutes
# make test   all tests
#
# Both install what they need into .venv (make VENV=elsewhere).

PYTHON = python3
VENV = .venv
DEVICE ?= cuda
RUN = PATH="$(abspath $(VENV))/bin:$$PATH"
# "compat" is a line in a .pth file; the default is an import hook that every start of Python would pay for.
INSTALL = $(VENV)/bin/python -m pip install --quiet --constraint constraints.txt --config-settings editable_mode=compat

# What the page of the demo is made of.
ROBUSTNESS = $(foreach run,en.lead en.longest zh.lead zh.longest,robustness/$(run).jsonl robustness/$(run).sources.jsonl)
PAGE = sensitivity.jsonl $(foreach name,lead longest,$(name).jsonl $(name).sources.jsonl) $(ROBUSTNESS)

# As many tests at once as there are processors; those of a file, which share models, one after the other.  Files in
# their order: by the number of tests the two slow ones of test_stand_ins.py would come last, beside an idle processor.
SIDE_BY_SIDE = -n auto --dist loadfile --no-loadscope-reorder

.PHONY: demo test check check-slow lint man gpu bench clean

# MODEL is not handed on, where it would be a model.
demo: $(VENV)/report.stamp $(if $(MODEL),$(VENV)/models.stamp)
	+$(RUN) $(MAKE) --no-print-directory --always-make --directory examples/speaker-names MODEL= OUT=$(CURDIR)/demo all $(CURDIR)/demo/sensitivity.jsonl
	+$(RUN) $(MAKE) --no-print-directory --always-make --directory examples/robustness MODEL= OUT=$(CURDIR)/demo/robustness \
	  KINDS="dialogue.greeting dialogue.closing dialogue.repetition" $(ROBUSTNESS:%=$(CURDIR)/demo/%)
	$(RUN) dt-report --title "Two simple systems" -o demo/report.html $(PAGE:%=demo/%)
	$(if $(MODEL),+$(RUN) $(MAKE) --no-print-directory --directory examples/real-model MODEL='$$(WEIGHTS)/smollm2' OUT=$(CURDIR)/demo/model all report)
	@echo "To look at it all, open demo/report.html in a browser: file://$(CURDIR)/demo/report.html"
	$(if $(MODEL),@echo "and for the model: file://$(CURDIR)/demo/model/report.html")

test: $(VENV)/test.stamp
	$(VENV)/bin/python -m pytest $(SIDE_BY_SIDE)

# What a change must pass; the tests compare the manual pages and see to it that nothing heavy is imported early.
check: lint test

# With the slow tests, and with more of the random ones.
check-slow: lint
	$(VENV)/bin/python -m pytest $(SIDE_BY_SIDE) -m "slow or not slow" --hypothesis-profile=slow

lint: $(VENV)/test.stamp
	$(VENV)/bin/ruff format --check . $(wildcard bin/*)
	$(VENV)/bin/ruff check . $(wildcard bin/*)
	$(VENV)/bin/python -m mypy

man: $(VENV)/base.stamp
	$(VENV)/bin/python man/mkman.py

# Checks and times on a GPU, less than nine minutes; a table, and gpu.json.  DEVICE=cpu make gpu tries it with tiny models.
gpu: $(VENV)/test.stamp
	$(VENV)/bin/python tests/gpu/measure.py --device $(DEVICE) $(if $(filter cpu,$(DEVICE)),--tiny) --output gpu.json

# Speeds beside those of the peers, less than ten minutes; the table is written into tests/bench/README.md.
bench: $(VENV)/test.stamp
	$(VENV)/bin/python tests/bench/all.py --update

clean:
	rm -rf demo build dist *.egg-info .pytest_cache .mypy_cache .hypothesis
	find . -name __pycache__ -not -path './$(VENV)/*' -prune -exec rm -r {} +

$(VENV)/base.stamp: setup.cfg constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) --editable .
	touch $@

$(VENV)/report.stamp: $(VENV)/base.stamp
	$(INSTALL) --editable '.[report]'
	touch $@

$(VENV)/models.stamp: $(VENV)/base.stamp
	$(INSTALL) --editable '.[models,report]'
	touch $@

$(VENV)/test.stamp: $(VENV)/base.stamp
	$(INSTALL) --editable '.[all,test]'
	touch $@
