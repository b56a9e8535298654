"""Reading, measured as whole processes: time and peak memory of `retrievers score` and of peers.

The same run of 7 million lines in several formats, and in two states that are hard to read: lines
in no order, and one score for all. A process starts, reads the judgments and the run, scores, ends.
"""

import gzip
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pa_parquet
from synthetic import Collection

_PYTREC_EVAL = """
import sys, pytrec_eval
with open(sys.argv[1]) as qrels, open(sys.argv[2]) as run:
    evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(qrels), {"ndcg_cut.10"})
    values = evaluator.evaluate(pytrec_eval.parse_run(run)).values()
print(sum(value["ndcg_cut_10"] for value in values) / len(values))
"""
_RANX = """
import sys, ranx
qrels = ranx.Qrels.from_file(sys.argv[1], kind="trec")
run = ranx.Run.from_file(sys.argv[2], kind="trec")
print(ranx.evaluate(qrels, run, "ndcg@10", make_comparable=True))
"""
_OURS = """
import sys
from core.cli import main
files = ["--qrels", sys.argv[1], "--run", sys.argv[2]]
main(["score", *files, "--preset", "trec_eval-9-c", "--format", "csv"])
"""
_WATCH = """
import json, os, subprocess, sys, time
start = time.perf_counter()
process = subprocess.Popen([sys.executable, "-c", *sys.argv[1:]], stdout=subprocess.PIPE, text=True)
answer = process.stdout.read()
_, status, used = os.wait4(process.pid, 0)
seconds = time.perf_counter() - start
print(json.dumps({"seconds": seconds, "peak": used.ru_maxrss, "answer": answer}))
sys.exit(status != 0)
"""
_COLUMNS = ["query_id", "q0", "doc_id", "rank", "score", "tag"]
_BYTES = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True)
class Measured:
    """What one process took."""

    seconds: float
    peak_mb: float
    answer: str


def report(files: Collection) -> None:
    """Print a line for each kind of file, ours and the peers'."""
    plain = files.runs[0]
    _line("TREC", "retrievers", measured(_OURS, files.qrels, plain))
    _line("TREC", "pytrec_eval", measured(_PYTREC_EVAL, files.qrels, plain))
    _line("TREC", "ranx", measured(_RANX, files.qrels, plain, warm=True))
    for title, (ending, write) in _KINDS.items():
        file = plain.with_name(f"other{ending}")
        write(plain, file)
        _line(title, "retrievers", measured(_OURS, files.qrels, file))
        if title.endswith("shuffled"):
            _line(title, "pytrec_eval", measured(_PYTREC_EVAL, files.qrels, file))
        file.unlink()


def measured(program: str, qrels: Path, run: Path, *, warm: bool = False) -> Measured:
    """Run a program on two files: the quicker of two times, the larger of two peaks.

    Parameters
    ----------
    program : str
    qrels, run : Path
    warm : bool
        Whether the program compiles itself when it first runs, which is not counted.
    """
    if warm:
        _once(program, qrels, run)
    one, other = _once(program, qrels, run), _once(program, qrels, run)
    return Measured(min(one.seconds, other.seconds), max(one.peak_mb, other.peak_mb), other.answer)


def _once(program: str, qrels: Path, run: Path) -> Measured:
    """Start a program from a small process: a child's peak begins with that of its parent."""
    command = [sys.executable, "-c", _WATCH, program, str(qrels), str(run)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    return Measured(found["seconds"], found["peak"] * _BYTES / (1 << 20), found["answer"])


def _line(title: str, tool: str, found: Measured) -> None:
    # A mean alone, or a table with a header whose second column it is.
    mean = found.answer.split("\n")[1].split(",")[1] if "," in found.answer else found.answer
    print(
        f"{title}, whole process, {tool}: {found.seconds:.2f} s, peak {found.peak_mb:,.0f} MiB, "
        f"NDCG@10 {float(mean):.6f}"
    )


def _packed(plain: Path, file: Path) -> None:
    with plain.open("rb") as source, gzip.open(file, "wb", compresslevel=6) as packed:
        shutil.copyfileobj(source, packed, 1 << 20)


def _table(plain: Path) -> pa.Table:
    ids = {"query_id": "string", "doc_id": "string"}
    return pa_csv.read_csv(
        plain,
        pa_csv.ReadOptions(column_names=_COLUMNS),
        pa_csv.ParseOptions(delimiter=" "),
        pa_csv.ConvertOptions(
            include_columns=["query_id", "doc_id", "rank", "score"], column_types=ids
        ),
    )


def _as_csv(plain: Path, file: Path) -> None:
    pa_csv.write_csv(_table(plain), file, pa_csv.WriteOptions(quoting_style="none"))


def _as_parquet(plain: Path, file: Path) -> None:
    pa_parquet.write_table(_table(plain), file)


def _all_equal(plain: Path, file: Path) -> None:
    with plain.open("rb") as source, file.open("wb") as equal:
        for line in source:
            query, q0, document, rank, _, tag = line.split(b" ")
            equal.write(b" ".join((query, q0, document, rank, b"1.0", tag)))


def _shuffled(plain: Path, file: Path) -> None:
    lines = plain.read_bytes().splitlines(keepends=True)
    with file.open("wb") as shuffled:
        shuffled.writelines(lines[at] for at in np.random.default_rng(7).permutation(len(lines)))


_KINDS: dict[str, tuple[str, Callable[[Path, Path], None]]] = {
    "TREC, gzip": (".trec.gz", _packed),
    "CSV": (".csv", _as_csv),
    "Parquet": (".parquet", _as_parquet),
    "TREC, one score for all": (".equal.trec", _all_equal),
    "TREC, lines shuffled": (".shuffled.trec", _shuffled),
}
