"""The compared pair, A and B: chosen anywhere, the same on every page and in the address."""

from collections.abc import Collection

import app_driver
import pytest
from app_driver import (
    ALPHA,
    BEST_TWO,
    ORDER,
    PAGES,
    SCORED_PAGES,
    address,
    app,
    charts,
    choose,
    click_row,
    frame,
    go_to,
    listed,
    notes,
    open_query,
    page_text,
    pick,
    roles,
    sample_scores,
    table,
    upload,
    verdict,
    with_head,
    with_own_files,
)
from streamlit.testing.v1 import AppTest

from core.comparison import compare
from core.presets import FIRST_RUN

start_alone = pytest.fixture(autouse=True)(app_driver.start_alone)


def chosen(at: AppTest) -> tuple[str | None, str | None]:
    return at.selectbox(key="system_choice").value, at.selectbox(key="baseline_choice").value


@pytest.mark.parametrize("page", SCORED_PAGES)
def test_at_first_the_best_two_are_compared(page):
    at = app(page)
    assert BEST_TWO.items() <= address(at).items()
    found = roles(at)
    assert "first" in found["dense"]
    assert "second" in found["dense-128"]
    assert_grey(found, BEST_TWO.values())


def assert_grey(found: dict[str, set[str]], compared: Collection[str]) -> None:
    """No system but the compared two has a colour."""
    assert not {name for name in found if name not in compared and found[name] - {"", "other"}}


@pytest.mark.parametrize("page", ["overview", "queries"])
def test_choosing_the_baseline_as_a_makes_the_two_change_places(page):
    at = app(page)
    pick(at, "system", "dense-128")
    assert chosen(at) == ("dense-128", "dense")
    pick(at, "system", "fusion")
    assert chosen(at) == ("fusion", "dense")
    assert {"system": "fusion", "baseline": "dense"}.items() <= address(at).items()


def test_the_baseline_is_no_choice_for_itself():
    at = app()
    options = at.selectbox(key="baseline_choice").options
    assert "dense" not in options
    assert len(options) == 9


def test_differences_are_to_the_chosen_baseline():
    at = app(unjudged="zero", baseline="bm25", system="fusion")
    scores = sample_scores(FIRST_RUN)
    head, *rows = with_head(at, "System", "judged@10")
    column = head.index("difference to bm25")
    for row in rows:
        if row[1] == "bm25":
            assert row[column : column + 2] == ["baseline", ""]
            continue
        found = compare(scores[row[1]], scores["bm25"])
        assert found.interval is not None
        ends = f"[{found.interval.low:+.3f}, {found.interval.high:+.3f}]"
        assert row[column] == f"{found.difference:+.3f} {ends}".replace("-", "−")
        assert row[column + 1] == f"{found.wins} / {found.ties} / {found.losses}"


def test_a_pair_chosen_on_one_page_is_compared_on_all():
    at = app()
    pick(at, "system", "bm25")
    pick(at, "baseline", "rerank")
    kept = {"system": "bm25", "baseline": "rerank"}
    for page in (*PAGES[1:], *PAGES):
        go_to(at, page)
        assert kept.items() <= address(at).items()
        if page == "data":
            continue
        found = roles(at)
        assert "first" in found["bm25"]
        assert "second" in found["rerank"]
        assert_grey(found, kept.values())
    go_to(at, "overview")
    assert chosen(at) == ("bm25", "rerank")
    assert "dense is first, with 0.669 NDCG@10. bm25 leads rerank by" in verdict(at)
    go_to(at, "policy_effects")
    assert table(at, "Pair", "now")[0][0] == "bm25 over rerank"
    go_to(at, "queries")
    assert chosen(at) == ("bm25", "rerank")
    assert open_query(at)[1] == ["bm25", "rerank"]


def test_the_pair_stays_when_other_systems_lead():
    """A colour keeps its meaning."""
    at = app(unjudged="zero", zero_idcg="leave_out")
    choose(at, "ideal_scope", "this_run")
    assert verdict(at).startswith("rerank is first")
    assert chosen(at) == ("dense", "dense-128")


def test_a_pair_level_with_the_best_is_told_apart_by_words():
    at = app(system="rerank", baseline="dense", unjudged="zero")
    assert verdict(at).startswith("rerank trails dense by")


# One system alone


def test_one_system_can_be_looked_at_alone():
    at = app("queries", unjudged="zero")
    pick(at, "baseline", "")
    assert address(at)["alone"] == "yes"
    assert list(frame(at, "pair_list").columns) == ["query", "text", "first", "unjudged", "state"]
    assert list(charts(at)) == ["query_bars"]
    assert open_query(at)[1] == ["dense"]
    assert " − " not in page_text(at).partition("Two systems")[2].partition("NDCG =")[0]
    assert f"{ORDER}_choice" not in [box.key for box in at.selectbox], "there is but one"
    worst = frame(at, "pair_list")["first"]
    scores = sample_scores(FIRST_RUN)["dense"]
    with_ideal = len(worst) - int(scores.zero_idcg.sum())
    assert worst[:with_ideal].is_monotonic_increasing


def test_other_pages_compare_although_queries_shows_one_alone():
    at = app("queries")
    pick(at, "baseline", "")
    go_to(at, "overview")
    assert chosen(at) == ("dense", "dense-128")
    assert address(at)["alone"] == "yes"
    go_to(at, "queries")
    assert chosen(at) == ("dense", "")


def test_another_baseline_ends_looking_at_one_alone():
    at = app("queries", alone="yes")
    assert chosen(at) == ("dense", "")
    pick(at, "baseline", "bm25")
    assert "alone" not in address(at)
    assert open_query(at)[1] == ["dense", "bm25"]


def test_a_filter_that_needs_two_shows_all_of_one():
    at = app("queries", show="first_better")
    before = len(listed(at, "pair_list"))
    pick(at, "baseline", "")
    assert before < len(listed(at, "pair_list")) == 50
    assert at.segmented_control(key="show_choice").value == "all"


def test_one_run_has_nothing_to_be_compared_with():
    at = with_own_files({"alpha.run": ALPHA})
    for page in SCORED_PAGES:
        go_to(at, page)
        assert "baseline_choice" not in [box.key for box in at.selectbox]
        assert notes(at)[0].startswith("Provisional.")
    go_to(at, "queries")
    assert list(charts(at)) == ["query_bars"]
    assert open_query(at)[1] == ["alpha"]
    assert verdict(go_to(at, "overview")).startswith("Provisional: alpha has 0.667 NDCG@10.")


# The address


@pytest.mark.parametrize("page", SCORED_PAGES)
def test_a_link_to_what_is_not_there_gets_a_note(page):
    at = app(page, system="nobody", baseline="<b>", query="q99", unjudged="zero")
    said = {
        f"There is no {what} “{asked}” in the files that are loaded."
        for what, asked in (("system", "nobody"), ("baseline", "<b>"), ("query", "q99"))
    }
    assert set(notes(at)) == said
    assert BEST_TWO.items() <= address(at).items()
    assert address(at).get("query") != "q99"
    assert notes(app_driver.checked(at.run())) == [], "said once"


def test_a_link_that_compares_a_system_with_itself_gets_another_baseline():
    at = app(system="bm25", baseline="bm25")
    assert chosen(at) == ("bm25", "dense")


def test_nobody_asked_for_the_systems_of_other_files():
    """What the app chose by itself is gone without a word when other files are loaded."""
    at = app("queries")
    go_to(at, "data")
    upload(
        at,
        qrels=("my.qrels", app_driver.QRELS),
        runs={"alpha.run": ALPHA, "beta.run": app_driver.BETA},
    )
    go_to(at, "queries")
    assert chosen(at) == ("alpha", "beta")
    assert not [note for note in notes(at) if "There is no" in note]


def test_a_refused_system_stays_chosen_and_shows_the_reason():
    at = app("queries", unjudged="zero", system="char-ngrams", baseline="fusion")
    click_row(at, "pair_list", 3)
    query = open_query(at)[0]
    choose(at, "order", "rank_column")
    (note,) = notes(at)
    assert note.startswith("Refused. ")
    assert "char-ngrams" in note
    assert chosen(at) == ("char-ngrams", "fusion")
    assert open_query(at) == (query, ["fusion"]), "the other one is shown"
    choose(at, "order", "score")
    assert open_query(at) == (query, ["char-ngrams", "fusion"])


def test_a_refused_baseline_leaves_no_difference():
    at = app(unjudged="zero", baseline="char-ngrams", order="rank_column")
    head, *rows = with_head(at, "System", "judged@10")
    column = head.index("difference to char-ngrams")
    scored = [row for row in rows if row[1] not in ("char-ngrams", "bm25-stems")]
    assert {row[column] for row in scored} == {"baseline refused"}
    assert verdict(at).startswith("dense is first, with 0.669 NDCG@10.")
