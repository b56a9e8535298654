"""Files of other kinds, known by how they begin: what they are and what to do."""

_SAVE = "Save it as UTF-8 text."
_UNPACK = "Unpack it, or compress it as .gz."
_UNPACK_ONE = "Unpack it, and give the one file in it that holds the data."
_AS_CSV = "Unpack it, or save the sheet as CSV in UTF-8."
_SHEET = "Save the sheet as CSV in UTF-8."
_EXPORT = "Export the table as CSV or Parquet."
_PARQUET = "Save the table as Parquet or CSV."
_PICKLE = "Write its content as JSON or CSV from the program that made it."
_BEGIN = {
    b"\xff\xfe\x00\x00": ("UTF-32", _SAVE),
    b"\xff\xfe": ("UTF-16", _SAVE),
    b"\xfe\xff": ("UTF-16", _SAVE),
    b"PK\x03\x04": ("a zip archive or a spreadsheet", _AS_CSV),
    b"PK\x05\x06": ("an empty zip archive", _AS_CSV),
    b"\xd0\xcf\x11\xe0": ("an old Excel or Word document", _AS_CSV),
    b"{\\rtf": ("a Word document (RTF)", _SAVE),
    b"%PDF": ("a PDF", _SAVE),
    b"\x28\xb5\x2f\xfd": ("compressed with zstd", _UNPACK),
    b"\x04\x22\x4d\x18": ("compressed with lz4", _UNPACK),
    b"BZh": ("compressed with bzip2", _UNPACK),
    b"\xfd7zXZ": ("compressed with xz", _UNPACK),
    b"\x1f\x9d": ("compressed with compress (.Z)", _UNPACK),
    b"\x1f\x8b": ("compressed with gzip twice", "Unpack it once."),
    b"7z\xbc\xaf": ("a 7z archive", _UNPACK),
    b"Rar!\x1a": ("a RAR archive", _UNPACK),
    b"SQLite format 3\x00": ("an SQLite database", _EXPORT),
    b"ARROW1\x00": ("an Arrow or Feather file", _PARQUET),
    b"\xff\xff\xff\xff": ("an Arrow stream", _PARQUET),
    b"Obj\x01": ("an Avro file", _PARQUET),
    b"\x89HDF": ("an HDF5 file", _PARQUET),
    b"\x93NUMPY": ("a NumPy array (.npy)", _PARQUET),
    **{bytes((0x80, protocol)): ("a Python pickle", _PICKLE) for protocol in range(2, 6)},
}
# These begin with letters that may begin an id as well, so a NUL byte has to follow.
_BEGIN_OF_BINARY = {
    b"ORC": ("an ORC file", _PARQUET),
    b"FEA1": ("a Feather file", _PARQUET),
}
_IN_ZIP = {
    b"[Content_Types].xml": ("an Excel or Word document", _SHEET),
    b".npy": ("NumPy arrays (.npz)", _PARQUET),
}
_WEB_PAGE = (b"<!doctype html", b"<html", b"<head>", b"<body", b"<script", b"<!--")
_XML = b"<?xml"
_TAR, _TAR_AT = b"ustar", 257


def other_kind(head: bytes) -> tuple[str, str] | None:
    """Return what a file is that is not text, and what to do; None: it may be text.

    >>> other_kind(b"%PDF-1.7")
    ('the file is a PDF, not UTF-8 text', 'Save it as UTF-8 text.')
    """
    if known := _binary(head):
        kind, remedy = known
        return f"the file is {kind}, not UTF-8 text", remedy
    start = head.lstrip()[:20].lower()
    if start.startswith(_XML) and b"<html" not in head[:1024].lower():
        return "the file is XML", "Save the data as CSV, JSON or in TREC's format."
    if start.startswith((*_WEB_PAGE, _XML)):
        return "the file is a web page (HTML)", "Download the file itself."
    return None


def _binary(head: bytes) -> tuple[str, str] | None:
    if head.startswith(_TAR, _TAR_AT):
        return "a tar archive", _UNPACK_ONE
    if head.startswith(b"PK\x03\x04"):
        for name, known in _IN_ZIP.items():
            if name in head[:1024]:
                return known
    if b"\x00" in head:
        for mark, known in _BEGIN_OF_BINARY.items():
            if head.startswith(mark):
                return known
    return next((known for mark, known in _BEGIN.items() if head.startswith(mark)), None)
