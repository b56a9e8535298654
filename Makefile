# Needs GNU make and Python 3.11 or newer. Everything else goes into .venv, which can be thrown away.
#
#   make test ARGS='-k ties'          options for the program that the target starts
#   make app PYTHON=/path/to/python   the Python that makes .venv

VENV := .venv
BIN := $(VENV)/bin
PY := $(BIN)/python
PYTHONS := $(if $(PYTHON),"$(PYTHON)",python3.13 python3.12 python3.11 python3 python)

.DEFAULT_GOAL := help
.PHONY: app install test check format bench soak shots clean help

app: $(VENV)/.app ## open the dashboard on the sample runs
	@$(BIN)/retrievers app $(ARGS)

install: $(VENV)/.app ## make .venv with all that the dashboard needs

test: $(VENV)/.dev ## run every test, those in a real browser included
	@$(with_browser) $(PY) -m pytest $(ARGS)

check: $(VENV)/.dev ## check format, lint and types
	@failed=0; \
	$(BIN)/ruff format --check . || failed=1; \
	$(BIN)/ruff check . || failed=1; \
	$(BIN)/mypy || failed=1; \
	exit $$failed

format: $(VENV)/.dev ## format the code and mend what lint can mend
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format --quiet .

bench: $(VENV)/.dev ## measure speed
	@$(with_browser) PYTHONPATH=tests $(PY) tests/benchmarks/run.py $(ARGS)

soak: $(VENV)/.dev ## run the long tests that `make test` leaves out
	@$(with_browser) $(PY) -m pytest -m soak -o faulthandler_timeout=0 $(ARGS)

shots: $(VENV)/.dev ## take pictures of every page, both themes, three widths
	@$(with_browser) PYTHONPATH=tests $(PY) tests/browser/shots.py $(ARGS)

clean: ## remove .venv and everything else that was made
	@rm -rf $(VENV) build dist shots .hypothesis .mypy_cache .pytest_cache .ruff_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

help: ## print this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-8s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

# The tests learn from CHROME which browser to drive.
with_browser = CHROME="$$($(PY) tests/find_browser.py --install)" && export CHROME &&

# Some machines switch bytecode off, which makes every start slow. Written at the first import it
# costs less than half of what compiling at install does.
export PYTHONDONTWRITEBYTECODE :=

$(VENV)/.app: $(BIN)/activate pyproject.toml constraints.txt
	@echo "Installing the dashboard into $(VENV)"
	@$(call install,.)
	@touch $@

$(VENV)/.dev: $(BIN)/activate pyproject.toml constraints.txt
	@echo "Installing the dashboard and the tools of its tests into $(VENV)"
	@$(call install,$(with_tools))
	@touch $(VENV)/.app $@

# With uv, which is fast; where uv cannot be had or fails, with pip, whose errors are shown.
with_tools := .[test,check,samples]
install = { [ -x $(BIN)/uv ] || $(pip_install) --only-binary uv uv; } >/dev/null 2>&1 \
	&& $(BIN)/uv pip install --python $(PY) -c constraints.txt -b constraints.txt -e '$(1)' >/dev/null 2>&1 \
	|| log=$$($(pip_install) -e '$(1)' 2>&1) || { echo "$$log" >&2; exit 1; }
pip_install = $(PY) -m pip install --quiet --no-compile --disable-pip-version-check -c constraints.txt

# venv writes activate last, with its own path: without it, or once the folder has moved or the
# Python is gone, the environment is made anew.
ifeq ($(shell [ -x $(PY) ] && grep -sF "$(CURDIR)/$(VENV)" $(BIN)/activate),)
.PHONY: $(BIN)/activate
endif
$(BIN)/activate:
	@for python in $(PYTHONS); do \
		"$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue; \
		recent="$$python"; \
		"$$python" -c 'import venv, ensurepip' 2>/dev/null || continue; \
		echo "Making $(VENV) with $$python"; \
		exec "$$python" -m venv --clear $(VENV); \
	done; \
	if [ -n "$$recent" ]; then \
		echo "$$recent cannot make virtual environments. Install its venv module (Debian, Ubuntu: apt install python3-venv)."; \
	else \
		echo 'No Python 3.11 or newer found (tried: $(PYTHONS)). Install one, or name it: make PYTHON=/path/to/python3'; \
	fi >&2; exit 1
