.PHONY: check test slow bench format pages

check:  ## formatting, lint, types, and the direction of imports
	uv run ruff format --check .
	uv run ruff check .
	uv run pyright
	uv run lint-imports

test:  ## what CI runs
	uv run pytest

slow:  ## the tests that take minutes
	uv run pytest -m slow

bench:  ## side-by-side speed on this machine
	uv run python -m bench

pages:  ## docs/results from their templates and tables
	uv run python -m docs.results

format:
	uv run ruff format .
	uv run ruff check --fix .
