.PHONY: check types formatting lint imports compiled test slow bench format pages

check: types formatting lint imports  ## formatting, lint, types, and the direction of imports

types:
	uv run pyright

formatting:
	uv run ruff format --check .

lint:
	uv run ruff check .

imports:
	uv run lint-imports

compiled:  ## modules and tests as bytecode, once, and not once for each process; tests have their own of modules
	uv run python -c "import timm, polars, pyarrow.parquet, unseen.cli.app, unseen.engines.local, unseen.kinds.results"
	-uv run pytest -n 0 --collect-only > /dev/null

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
