"""Writes src/redline/_async.py: the client of _sync.py, awaited. Run by generate.sh."""

import pathlib
import re

source = pathlib.Path(__file__).parent / "src" / "redline"

replacements = [
    (r"^from __future__", "# Generated from _sync.py. Do not edit.\nfrom __future__"),
    (r"\bimport time\b", "import asyncio\nimport time"),
    (r"import Callable, Iterator", "import AsyncIterator, Awaitable, Callable"),
    (r"-> Iterator\[", "-> AsyncIterator["),
    (r"httpx\.Client", "httpx.AsyncClient"),
    (r"\bRedline\b", "AsyncRedline"),
    (r"\bResources\b", "AsyncResources"),
    (r"_operations import AsyncResources", "_operations_async import Resources as AsyncResources"),
    (r"Callable\[\[\], T \| None\]", "Callable[[], Awaitable[T | None]]"),
    (r"that waits for them", "that is awaited"),
    (r"def (call|walk|close|wait_for_\w+|upload|look|_until)\(", r"async def \1("),
    (r"def __(enter|exit)__", r"async def __a\1__"),
    (r"(self\.close\(\)|self\.call\(|time\.sleep\(|self\._caller\.call\(|self\.wait_for_\w+\(|\b_until\(|\blook\(\))", r"await \1"),
    (r"(self\.client\.post\(|self\._caller\.client\.(put|close)\()", r"await \1"),
    (r"(self\.(steps|executions|knowledge|documents)\.\w+\()", r"await \1"),
    (r"async def await ", "async def "),
    (r"client\.close\(", "client.aclose("),
    (r"time\.sleep", "asyncio.sleep"),
]

text = (source / "_sync.py").read_text()
for pattern, replacement in replacements:
    text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
(source / "_async.py").write_text(text)
