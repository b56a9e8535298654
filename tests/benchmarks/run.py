"""Speed against a peer, measured in one run: `make bench`.

Absolute times depend on the machine and on what else it does; the ratios hold better. A figure is
the best of several repetitions, ours and the peer's alike, where it does not say otherwise.
"""

import argparse
import resource
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import combining
import page_times
import pytrec_eval
import reading
import switching
from synthetic import Collection, collection
from timing import best, timed

from core.formats import read_judgments, read_run
from core.grades import GradedRun, join
from core.presets import TREC_EVAL_9_C
from core.scores import QueryScores, score, score_all

MEASURE = "ndcg_cut_10"
POLICY = TREC_EVAL_9_C
SWITCHES = {
    "cutoff 100": replace(POLICY, cutoff=100),
    "exponential gain": replace(POLICY, gain="exponential"),
    "ties: mean over orders": replace(POLICY, ties="expected"),
    "condensed list": replace(POLICY, unjudged="condense"),
}


def main() -> None:
    """Write the collections, time everything, print one line a figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--small", action="store_true", help="a tenth of the size, for a quick look"
    )
    options = parser.parse_args()
    scale = 10 if options.small else 1
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        graded = collection(
            home / "graded", queries=200 // scale, depth=1000, judged=200, runs=5, seed=1
        )
        sparse = collection(
            home / "sparse", queries=6980 // scale, depth=1000, judged=1, runs=1, seed=3
        )
        dense = collection(
            home / "dense", queries=6980 // scale, depth=1000, judged=200, runs=1, seed=5
        )
        compare("5 runs of 200,000 lines, files to scores", graded, repeats=3)
        combining.report(loaded(graded))
        compare("1 run of 7 million lines, sparse judgments, files to scores", sparse, repeats=2)
        reading.report(sparse)
        switches("policy switch, sparse judgments", sparse)
        switches("policy switch, dense judgments", dense)
        both = switching.collections(home, scale)
        switching.report(both)
        page_times.report(both)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
        1 if sys.platform == "darwin" else 1024
    )
    print(f"peak memory of the whole benchmark, peer included: {peak:,.0f} MiB")


def compare(title: str, files: Collection, repeats: int) -> None:
    """Time files to scores, ours and pytrec_eval's, and check that both agree."""
    ours, scores = best(lambda: our_scores(files), repeats)
    peer, values = best(lambda: peer_scores(files), repeats)
    differing = sum(
        abs(float(found.ndcg[found.judgments.index[query]]) - value[MEASURE]) > 1e-9
        for found, of_run in zip(scores, values, strict=True)
        for query, value in of_run.items()
    )
    print(
        f"{title}: {ours:.2f} s; pytrec_eval {peer:.2f} s; {peer / ours:.1f} times as fast; "
        f"{differing} values differ"
    )


def switches(title: str, files: Collection) -> None:
    """Time re-scoring one run from memory under a policy it was not scored under before."""
    graded = loaded(files)[0]
    for name, policy in SWITCHES.items():
        times, _ = timed(
            lambda before, policy=policy: score(before, policy),  # type: ignore[misc]
            lambda: scored_before(graded),
            7,
        )
        print(f"{title}, {name}: {1000 * min(times):.1f} ms")


def scored_before(graded: GradedRun) -> GradedRun:
    """Return the run with nothing remembered but its scores under `POLICY`."""
    again = replace(graded, judgments=replace(graded.judgments))
    score(again, POLICY)
    return again


def loaded(files: Collection) -> list[GradedRun]:
    """Read and join."""
    judgments = read_judgments(files.qrels)
    return [join(read_run(file), judgments) for file in files.runs]


def our_scores(files: Collection) -> list[QueryScores]:
    """Files to scores."""
    return [one for one in score_all(loaded(files), POLICY) if isinstance(one, QueryScores)]


def peer_scores(files: Collection) -> list[dict[str, dict[str, float]]]:
    """Files to scores, the peer's way."""
    with files.qrels.open() as file:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), {"ndcg_cut.10"})
    results = []
    for run in files.runs:
        with run.open() as file:
            results.append(evaluator.evaluate(pytrec_eval.parse_run(file)))
    return results


if __name__ == "__main__":
    main()
