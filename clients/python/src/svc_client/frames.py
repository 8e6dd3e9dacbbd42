"""Answers as tables of pyarrow and frames of pandas, which are imported when they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

ARROW = "application/vnd.apache.arrow.stream"


def arrow_table(content: bytes) -> Any:
    """The record batches of an answer as a pyarrow.Table."""
    pyarrow = _imported("pyarrow", "query_arrow")
    with pyarrow.ipc.open_stream(content) as reader:
        return reader.read_all()


def data_frame(content: bytes) -> Any:
    """A pandas.DataFrame with a column for each variable: its typed values where all have one type, else its texts."""
    _imported("pandas", "query_frame")
    table = arrow_table(content)
    names = set(table.column_names)
    chosen = {}
    for name in table.column_names:
        # Beside each variable stand columns of its kinds, datatypes and the like.
        if is_variable(name, names):
            chosen[name] = f"{name}_value" if f"{name}_value" in names else name
    return table.select(list(chosen.values())).rename_columns(list(chosen)).to_pandas()


SUFFIXES = ("_kind", "_datatype", "_lang", "_value")


def is_variable(name: str, names: set[str]) -> bool:
    return not any(name.endswith(suffix) and name.removesuffix(suffix) in names for suffix in SUFFIXES)


def _imported(name: str, method: str) -> Any:
    importer: Callable[[str], Any] = __import__
    try:
        return importer(f"{name}.ipc" if name == "pyarrow" else name)
    except ImportError as error:
        raise ImportError(f"{method} needs {name}: pip install 'svc-client[frames]'", name=name) from error
