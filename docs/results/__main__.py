"""`python -m docs.results [PAGE ...]` writes pages of results from their templates and tables; `make pages`: all."""

import sys

from docs.results.pages import HERE, PAGES, page_text

for page in sys.argv[1:] or PAGES:
    path = HERE / f"{page}.md"
    text = page_text(page)
    changed = not path.is_file() or path.read_text(encoding="utf-8") != text
    path.write_text(text, encoding="utf-8")
    print(f"{path.name}: {'written anew' if changed else 'unchanged'}")
