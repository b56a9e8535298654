"""How long a policy switch takes with 7,000 queries and 5 systems: part of `make bench`.

Every figure starts from runs that are loaded and were scored under `BEFORE`, as on a page that a
reader looks at, and switches to a policy that was not asked for yet. "Again" asks a second time.
"""

import argparse
import statistics
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from synthetic import Collection, collection
from timing import timed

from core.formats import read_judgments, read_run
from core.grades import GradedRun, join
from core.policy import Policy
from core.presets import FIRST_RUN
from core.scores import QueryScores, aggregate, score_all
from core.sensitivity import switch_effects

BEFORE = FIRST_RUN
SWITCHES = {
    "cutoff 100": replace(BEFORE, cutoff=100),
    "exponential gain": replace(BEFORE, gain="exponential"),
    "ties: mean over orders": replace(BEFORE, ties="expected"),
    "condensed list": replace(BEFORE, unjudged="condense"),
    "ideal of any run": replace(BEFORE, ideal_scope="any_run"),
}


@dataclass(frozen=True)
class Loaded:
    """A collection in memory, and the files it was read from."""

    files: Collection
    runs: tuple[GradedRun, ...]

    def anew(self) -> "Loaded":
        """Return it as it is on a page under `BEFORE`: nothing remembered of other policies."""
        judgments = replace(self.runs[0].judgments)
        again = Loaded(
            self.files, tuple(replace(graded, judgments=judgments) for graded in self.runs)
        )
        scores_and_aggregates(again, BEFORE)
        return again


def scores_and_aggregates(loaded: Loaded, policy: Policy) -> object:
    """Score every system, and average with every count."""
    outcomes = score_all(loaded.runs, policy)
    scored = [one for one in outcomes if isinstance(one, QueryScores)]
    return scored, [aggregate(scores) for scores in scored]


def single_switches(loaded: Loaded, policy: Policy) -> object:
    """Score every system under each single switch of the policy."""
    return switch_effects(loaded.runs, policy)


# What is timed, by name. A page goes here too: a function of what is loaded and the new policy,
# that returns what the page would keep.
FIGURES: dict[str, Callable[[Loaded, Policy], object]] = {
    "scores and aggregates": scores_and_aggregates,
    "effect of every single switch": single_switches,
}


def collections(home: Path, scale: int) -> dict[str, Collection]:
    """Write the two collections that switches are timed on."""
    sizes = {"1 judged a query": (1000, 1), "20 judged a query": (100, 20)}
    return {
        name: collection(
            home / f"switch{judged}",
            queries=6980 // scale,
            depth=depth,
            judged=judged,
            runs=5,
            seed=7,
        )
        for name, (depth, judged) in sizes.items()
    }


def report(written: dict[str, Collection]) -> None:
    """Time every figure under every switch, print one line each."""
    for name, files in written.items():
        loaded = read(files)
        for figure, call in FIGURES.items():
            for switch, policy in SWITCHES.items():
                title = f"policy switch, {name}, 5 systems, {figure}, {switch}"
                print(f"{title}: {first_and_again(loaded, call, policy)}")


def first_and_again(
    loaded: Loaded, call: Callable[[Loaded, Policy], object], policy: Policy
) -> str:
    """Time the switch, and the same once more."""
    first, _ = timed(lambda anew: call(anew, policy), loaded.anew, 5)
    kept = loaded.anew()
    shown = call(kept, policy)
    again, _ = timed(lambda same: call(same, policy), lambda: kept, 5)
    del shown
    return f"first {milliseconds(first)}; again {milliseconds(again)}"


def milliseconds(times: list[float]) -> str:
    """Median and best of some times in seconds."""
    return f"{1000 * statistics.median(times):.1f} ms (best {1000 * min(times):.1f})"


def read(files: Collection) -> Loaded:
    """Read and join."""
    judgments = read_judgments(files.qrels)
    return Loaded(files, tuple(join(read_run(file), judgments) for file in files.runs))


def main() -> None:
    """Time policy switches alone."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--small", action="store_true", help="a tenth of the size, for a quick look"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report(collections(Path(folder), 10 if options.small else 1))


if __name__ == "__main__":
    main()
