"""How the repository is put together: imports and words."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

ROOT = Path(__file__).parent.parent
CORE = ROOT / "core"

# A module of core imports only modules that stand before it.
ORDER = [
    "core",
    "core.errors",
    "core.ids",
    "core.judgments",
    "core.blocks",
    "core.spool",
    "core.regrouping",
    "core.runs",
    "core.formats.limits",
    "core.formats.other_kinds",
    "core.formats.ranges",
    "core.formats.source",
    "core.formats.column_names",
    "core.formats.fields",
    "core.formats.rows",
    "core.formats.results",
    "core.formats.tags",
    "core.formats.parallel",
    "core.formats.columns",
    "core.formats.column_search",
    "core.formats.quoting",
    "core.formats.headers",
    "core.formats.beir",
    "core.formats.json_places",
    "core.formats.json_values",
    "core.formats.places",
    "core.formats.nested",
    "core.formats.record_lists",
    "core.formats.records",
    "core.formats.record_rows",
    "core.formats.json_records",
    "core.formats.json_maps",
    "core.formats.chunk_maps",
    "core.formats.jsonl",
    "core.formats.delimited_rows",
    "core.formats.delimited",
    "core.formats.three_columns",
    "core.formats.table_parts",
    "core.formats.parquet_file",
    "core.formats.parquet",
    "core.formats.text_columns",
    "core.formats.text_tables",
    "core.formats.texts",
    "core.formats.trec",
    "core.formats.trec_runs",
    "core.formats",
    "core.matching",
    "core.chunks",
    "core.placements",
    "core.id_kinds",
    "core.id_hints",
    "core.findings",
    "core.grades",
    "core.cautions",
    "core.judgment_findings",
    "core.policy",
    "core.presets",
    "core.memo",
    "core.ranking",
    "core.ndcg",
    "core.contributions",
    "core.binary",
    "core.coverage",
    "core.refusals",
    "core.scores",
    "core.explanation",
    "core.intervals",
    "core.comparison",
    "core.per_query",
    "core.sensitivity",
    "core.rule_sets",
    "core.sweep",
    "core.multiverse",
    "core.verdicts",
    "core.specification_curve",
    "core.rank_ranges",
    "core.walk",
    "core.number_search",
    "core.record",
    "core.cli.options",
    "core.cli.tables",
    "core.cli.loading",
    "core.cli.scoring",
    "core.cli.listing",
    "core.cli.explaining",
    "core.cli.combining",
    "core.cli.serving",
    "core.cli",
]
# What core may use besides the standard library.
ALLOWED = {"core", "numpy", "pandas", "pyarrow", "scipy"}


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted(CORE.rglob("*.py"))}


def imported(path: Path) -> Iterator[str]:
    """Every module a file imports, wherever in it; for `from a import b`, a.b if there is one."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module is not None, f"{path.name}: relative import"
            whole = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in MODULES else node.module for name in whole)


def test_every_module_of_core_has_its_place_in_the_order() -> None:
    assert sorted(ORDER) == sorted(MODULES)


@pytest.mark.parametrize("name", MODULES)
def test_module_imports_only_modules_before_it(name: str) -> None:
    before = ORDER[: ORDER.index(name)]
    ours = {other for other in imported(MODULES[name]) if other.split(".")[0] == "core"}
    assert sorted(ours - set(before)) == []


@pytest.mark.parametrize("name", MODULES)
def test_core_uses_no_more_than_it_may(name: str) -> None:
    packages = {other.split(".")[0] for other in imported(MODULES[name])}
    assert sorted(packages - ALLOWED - sys.stdlib_module_names) == []


def test_formats_are_read_without_knowing_grades_policies_or_scores() -> None:
    later = set(ORDER[ORDER.index("core.formats") + 1 :])
    readers = (path for name, path in MODULES.items() if name.startswith("core.formats"))
    assert not later & set(chain.from_iterable(map(imported, readers)))


def test_reference_uses_nothing_from_core() -> None:
    used = {name.split(".")[0] for name in imported(ROOT / "tests" / "reference.py")}
    assert used <= sys.stdlib_module_names


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("import core.cli", id="import"),
        pytest.param(
            "import core.cli; core.cli.main(['score', '--qrels', 'qrels.tsv', '--run', 'bm25.run',"
            " 'char-ngrams.json.gz', '--set', 'unjudged=zero'])",
            id="score",
        ),
    ],
)
def test_command_line_starts_without_what_it_does_not_need(code: str) -> None:
    heavy = ["pandas", "scipy.stats", "streamlit", "altair"]
    code += f"; import sys; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT / "sample_runs",
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_tables_are_read_without_pandas(tmp_path: Path) -> None:
    flat = {"query_id": ["q"], "doc_id": ["a"], "score": [1]}
    parquet.write_table(pa.table(flat), tmp_path / "flat.parquet")
    lists = {"query_id": ["q"], "ids": [["a"]], "scores": [[1.0]]}
    parquet.write_table(pa.table(lists), tmp_path / "lists.parquet")
    (tmp_path / "flat.csv").write_text("query_id,doc_id,score\nq,a,1\n")
    code = (
        "import sys; from pathlib import Path; from core.formats import read_judgments, read_run\n"
        "for path in sorted(Path().iterdir()): read_run(path)\n"
        "for path in sorted(Path().glob('flat*')): read_judgments(path)\n"
        "print('pandas' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stdout == "False\n"


# Words

# A test that looks for a word has to name it.
SKIPPED = {"build", "dist", "tests", "__pycache__"}
PROSE = {"README.md", "CHANGELOG.md"}


def texts(folder: Path) -> Iterator[Path]:
    """Files of the repository that a person reads; hidden folders are made, not written."""
    for path in sorted(folder.iterdir()):
        if path.is_dir():
            if not path.name.startswith(".") and path.name not in SKIPPED:
                yield from texts(path)
        elif path.name not in PROSE and path.suffix not in {".gz", ".png", ".parquet"}:
            yield path


def test_unjudged_documents_are_never_called_what_nobody_knows() -> None:
    found = [
        str(path.relative_to(ROOT))
        for path in texts(ROOT)
        if "irrelevant" in path.read_text(encoding="utf-8", errors="replace").lower()
    ]
    assert found == []
