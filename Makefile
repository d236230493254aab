SHELL := /bin/bash
.DEFAULT_GOAL := help
PY := .venv/bin/python
PYTHON_BOOT := $(if $(PYTHON),$(PYTHON),python3)
unexport PYTHONDONTWRITEBYTECODE

##@ Start here
.PHONY: help setup up demo
help: ## Print this list
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} /^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: setup-python setup-page ## Make the environment: Python packages and the page (safe to repeat)

up: setup ## Start SciStudio on the demo project (or PROJECT=folder) and print its URL
	@$(PY) -m scistudio_cli up $(or $(PROJECT),.demo/measure-objects)

demo: setup ## Run measure-objects through the gateway, with live progress, and show the results
	@$(PY) -m scistudio_cli demo

##@ Parts of setup
.PHONY: setup-python setup-page setup-system
setup-python: ## Python environment in .venv, from requirements.lock
	@$(PYTHON_BOOT) tools/setup.py

setup-page: ## Build the page into the gateway (needs Node 20+)
	@$(PYTHON_BOOT) tools/build_page.py

setup-system: ## Debian packages that tests need (Chromium, PostgreSQL), where this user may install them
	@$(PYTHON_BOOT) tools/setup_system.py

##@ Check
.PHONY: lint test bench
lint: setup ## Format, lint, types, import rules, generated code, lock
	@$(PY) tools/lint.py

test: setup setup-system ## All tests: Python, page and browser
	@$(PY) tools/test.py

bench: setup ## Benchmarks; they print figures (docs/performance.md)
	@$(PY) -m pytest -q --override-ini=norecursedirs=node_modules -s tests/bench

##@ Generate
.PHONY: protos lock api-client
protos: setup-python ## Generated gRPC code from proto/
	@$(PY) tools/generate_protos.py

lock: setup-python ## Resolve all dependencies anew into requirements.lock
	@$(PY) tools/lock.py

api-client: setup-python ## The page's typed API client from the gateway's OpenAPI
	@$(PY) tools/generate_api_client.py
