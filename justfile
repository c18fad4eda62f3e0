# Every recipe names a script; the scripts need no just.

check:
    scripts/test

test *arguments:
    scripts/test {{arguments}}

run *arguments:
    scripts/run {{arguments}}

bench *arguments:
    .venv/bin/python scripts/bench.py {{arguments}}

format:
    .venv/bin/ruff check --fix .
    .venv/bin/ruff format .
