# Everything a newcomer types. PYTHON names the interpreter that makes .venv (3.11 or newer).
PYTHON ?= $(shell command -v python3.11 || command -v python3.12 || command -v python3.13 || command -v python3)
VENV := .venv
RUN := $(VENV)/bin/python
INSTALLED := $(VENV)/.installed

.PHONY: install demo start test lint bench stop

install: $(INSTALLED)

$(INSTALLED): requirements.txt tests/requirements.txt
	@test -x $(RUN) || $(PYTHON) -c 'import sys; sys.exit("Ragsite needs Python 3.11 or newer.") if sys.version_info < (3, 11) else None'
	@test -x $(RUN) || $(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --disable-pip-version-check --quiet --requirement tests/requirements.txt
	@touch $@

demo: install
	@$(RUN) manage.py start --demo

start: install
	@$(RUN) manage.py start

test: install
	@$(RUN) -m pytest -m "not bench"

lint: install
	@$(RUN) -m ruff check .
	@$(RUN) -m ruff format --check .
	@$(RUN) -m mypy .
	@$(RUN) manage.py makemigrations --check --dry-run

bench: install
	@test -n "$(NAME)" || { echo "Say which: make bench NAME=ranking"; exit 2; }
	@$(RUN) -m tests.bench $(NAME)

stop:
	@test ! -x $(RUN) || $(RUN) manage.py stop
