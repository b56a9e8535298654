"""A Parquet file as tables of some rows each: neither a large file nor a bomb fills the memory."""

from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa

from core.errors import FileError
from core.formats.limits import too_large
from core.formats.source import Source
from core.formats.table_parts import LARGEST, is_text

_ROWS = 50_000
_FEW_ROWS = 1 << 10
_MOST_TEXT = 32 << 20
_BUFFER = 1 << 20
_PLACE = 4
_FAILURES = (pa.ArrowException, OSError, OverflowError, UnicodeDecodeError, MemoryError)
_PREFIXES = "DELTA_BYTE_ARRAY"


class ParquetFile:
    """A file of which some columns are read.

    A few bytes of a file may stand for long texts in many rows: where they share an entry of a
    dictionary, whose longest entry is looked up first; or the beginning of another text; or in
    lists. So rows are read a few at a time where they may be large.

    Arrow's own threads read no stream of Python's: one that is still at it when the program ends
    aborts the program.

    Parameters
    ----------
    source : Source

    Raises
    ------
    FileError
        Not Parquet, or damaged.
    """

    def __init__(self, source: Source) -> None:
        from pyarrow import parquet  # noqa: PLC0415 - takes long, and few files need it

        self._name = source.name
        options = {"pre_buffer": False, "buffer_size": _BUFFER}
        try:
            self._file = parquet.ParquetFile(source.stream(), **options)
            self.schema: pa.Schema = self._file.schema_arrow
            texts = [field.name for field in self.schema if is_text(field.type)]
            self._dictionaries = parquet.ParquetFile(
                source.stream(), read_dictionary=texts, **options
            )
        except _FAILURES:
            raise self._damaged() from None

    def tables(self, columns: Iterable[int]) -> Iterator[pa.Table]:
        """Read columns by their place in the schema; an empty table where there are no rows.

        Raises
        ------
        FileError
            The file is damaged, or unpacks to more than can be taken.
        """
        names = [self.schema.names[at] for at in columns]
        size, is_empty = 0, True
        try:
            if self._file.metadata.num_rows * len(names) * _PLACE > LARGEST:
                raise too_large(self._name, LARGEST)
            for batch in self._batches(names):
                table = pa.Table.from_batches([batch]).select(names)
                size += table.nbytes
                if size > LARGEST:
                    raise too_large(self._name, LARGEST)
                table.validate(full=True)
                is_empty = False
                yield table
        except _FAILURES:
            raise self._damaged() from None
        if is_empty:
            yield self.schema.empty_table().select(names)

    def _batches(self, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        kinds = {name: self.schema.field(name).type for name in names}
        is_nested = any(map(pa.types.is_nested, kinds.values()))
        texts = [name for name, kind in kinds.items() if is_text(kind)]
        for group in range(self._file.num_row_groups):
            rows = _FEW_ROWS if is_nested else self._rows_at_once(group, texts)
            yield from self._file.iter_batches(
                rows, row_groups=[group], columns=list(names), use_threads=False
            )

    def _rows_at_once(self, group: int, texts: Sequence[str]) -> int:
        """Choose how many rows of a row group to read, by the text that they may share.

        The first row brings the dictionary of the row group with it, all of it. What is known of a
        column is looked up only after that, since Arrow aborts the program where that is damaged.
        """
        from pyarrow import compute  # noqa: PLC0415

        if not texts:
            return _ROWS
        try:
            first = next(
                self._dictionaries.iter_batches(
                    1, row_groups=[group], columns=list(texts), use_threads=False
                ),
                None,
            )
        except _FAILURES:
            return _FEW_ROWS
        if first is None or self._shares_prefixes(group, texts):
            return _FEW_ROWS
        longest = [
            compute.max(compute.binary_length(column.dictionary)).as_py() or 0
            for column in first.columns
        ]
        return min(_ROWS, max(1, _MOST_TEXT // max(sum(longest), 1)))

    def _shares_prefixes(self, group: int, texts: Sequence[str]) -> bool:
        about, schema = self._file.metadata.row_group(group), self._file.schema
        places = (at for at in range(len(schema)) if schema.column(at).path in texts)
        return any(_PREFIXES in about.column(place).encodings for place in places)

    def _damaged(self) -> FileError:
        return FileError(self._name, "the Parquet file is truncated or corrupt", "Write it again.")
