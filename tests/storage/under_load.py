"""A process that records calls from several threads and tells on stdout which of them are acknowledged.

Usage: ``under_load.py FOLDER``. It never ends by itself: its test kills it.
"""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

from tests.storage.make import intent, start
from toolcell.model.calls import ToolReply
from toolcell.storage.records import Records


def work(records: Records, run: str) -> None:
    records.run_started(start(run))
    number = 0
    while True:
        number += 1
        call = intent(run, number, text="x" * (number % 700))
        told = threading.Event()

        def then(durable: bool, number: int = number, told: threading.Event = told) -> None:  # noqa: FBT001
            if durable:
                os.write(1, f"{run} {number}\n".encode())
            told.set()

        records.intend(call, then)
        told.wait()
        if number % 3:
            records.call_finished(call, ToolReply(result={}, size_bytes=number))


def report(sentence: str) -> None:
    os.write(2, sentence.encode())


def main(folder: str) -> None:
    records = Records(Path(folder), report=report)
    for number in range(4):
        threading.Thread(target=work, args=(records, f"{os.getpid()}-{number}")).start()


if __name__ == "__main__":
    main(sys.argv[1])
