"""Every control of the policy, and the address that keeps what they say."""

from dataclasses import fields, replace

import app_driver
import pytest
from app_driver import (
    BEST_TWO,
    ORDER,
    PAGES,
    SCORED_PAGES,
    TABLE,
    address,
    app,
    blocks,
    checked,
    choose,
    click_row,
    core_headlines,
    go_to,
    headlines,
    know_cutoff,
    listed,
    notes,
    open_query,
    page_text,
    pick,
    policy,
    press,
    put,
    sample_runs,
    sidebar_lines,
    sidebar_notes,
    with_gain_table,
)
from nasty_names import NASTY

from core.policy import OPTIONS, GainTable, Policy
from core.presets import FIRST_RUN, PRESETS
from core.scores import aggregate, score
from core.sensitivity import CUTOFFS
from dashboard import inputs

start_alone = pytest.fixture(autouse=True)(app_driver.start_alone)

NO_TABLE = "expected linear, exponential, binary, or a table such as 0:0,1:1,2:5."


# Every control


@pytest.mark.parametrize("page", SCORED_PAGES)
def test_every_option_of_every_field_can_be_chosen(page):
    """The address holds the option itself, not its words; on the overview headlines are core's."""
    at = app(page)
    choices = [(field, option) for field, options in OPTIONS.items() for option in options]
    choices += [("cutoff", str(cutoff)) for cutoff in CUTOFFS]
    choices += [("relevance_level", "3"), ("gain", "table")]
    for field, option in choices:
        choose(at, field, option)
        written = TABLE if option == "table" else option
        usual = field != "unjudged" and str(getattr(FIRST_RUN, field)) == option
        assert at.query_params.get(field) == (None if usual else written)
        if page == "overview":
            rules = FIRST_RUN.with_option(field, written)
            assert headlines(at) == core_headlines(rules), (field, option)
        put(at, field, "" if field == "unjudged" else str(getattr(FIRST_RUN, field)))
    kept = address(checked(at.run()))
    assert set(kept) <= {"system", "baseline", "query"}


@pytest.mark.parametrize("page", PAGES)
def test_every_preset_can_be_chosen(page):
    at = app(page)
    for name in reversed(PRESETS):
        checked(at.selectbox(key="preset").set_value(name).run())
        assert at.selectbox(key="preset").value == name
        if page == "overview":
            assert headlines(at) == core_headlines(PRESETS[name].policy)


def test_a_preset_that_shares_its_rules_keeps_its_own_name_until_a_rule_changes():
    at = app()
    assert PRESETS["ir_measures"].policy == PRESETS["trec_eval-9-c"].policy
    for name in ("ir_measures", "trec_eval-9-c", "ir_measures"):
        checked(at.selectbox(key="preset").set_value(name).run())
        assert at.selectbox(key="preset").value == name
    assert address(at)["score_precision"] == "float32"


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("pytrec_eval", "pytrec_eval-terrier ndcg_cut, version 0.5.11. Checked: the tool runs in"),
        ("haystack", "DocumentNDCGEvaluator, version 3.4.1. Checked: the tool was run, and its"),
        ("elasticsearch", "From its source: the tool was not run."),
        ("elasticsearch", "A query with negative grades only counts 1 there"),
    ],
)
def test_the_sidebar_says_whose_number_a_preset_gives_and_how_it_was_checked(name, line):
    at = app()
    checked(at.selectbox(key="preset").set_value(name).run())
    assert any(line in said for said in sidebar_lines(at))


def test_our_own_presets_say_nothing_of_a_tool():
    at = app()
    assert not any("version" in said for said in sidebar_lines(at))


def test_changing_one_rule_of_a_preset_makes_it_custom():
    at = app()
    checked(at.selectbox(key="preset").set_value("trec_eval-9").run())
    choose(at, "average", "pooled")
    assert at.selectbox(key="preset").value == "custom"


def test_a_changed_rule_is_marked():
    at = choose(app(), "average", "pooled")
    assert at.segmented_control(key="policy_average").proto.label == "Average · changed"
    assert at.segmented_control(key="policy_gain").proto.label == "Gain"


@pytest.mark.parametrize("page", PAGES)
def test_a_run_without_ranks_is_refused_on_every_page(page):
    """It shows as a cell or a note; the other runs keep their numbers."""
    at = app("overview")
    choose(at, "order", "rank_column")
    go_to(at, page)
    if page == "overview":
        assert headlines(at)["char-ngrams"] == "refuses: no ranks"
        assert headlines(at)["fusion"] == "0.632"
        assert headlines(at) == core_headlines(replace(FIRST_RUN, order="rank_column"))


@pytest.mark.parametrize("page", SCORED_PAGES)
def test_a_policy_that_refuses_every_run_shows_the_reasons(page):
    at = app(page, unjudged="refuse")
    assert "every system is refused" in page_text(at)
    for graded in sample_runs():
        found = aggregate(score(graded, FIRST_RUN)).unjudged_in_top
        colon = ":" if page == "overview" else ""
        if page != "queries":
            assert f"refuses{colon} {found:.0f} unjudged" in page_text(at)
    if page == "queries":
        assert [note.partition(" ")[0] for note in notes(at)] == ["Refused."] * 2


# What is typed


def test_gain_table_counts():
    at = with_gain_table(app(), "0:0,1:1,2:1,3:1")
    rules = replace(FIRST_RUN, gain=GainTable.parsed("0:0,1:1,2:1,3:1"))
    assert headlines(at) == core_headlines(rules)
    assert at.query_params["gain"] == "0:0,1:1,2:1,3:1"


def test_a_gain_table_outlives_other_pages_and_other_gains():
    """A widget's state ends when it is not drawn; what was typed does not."""
    at = with_gain_table(app(), "0:0,1:1,2:1,3:1")
    for page in PAGES:
        go_to(at, page)
        assert at.text_input(key="gain_table_text").value == "0:0,1:1,2:1,3:1"
        assert at.query_params["gain"] == "0:0,1:1,2:1,3:1"
    choose(at, "gain", "linear")
    assert "gain" not in at.query_params
    choose(at, "gain", "table")
    assert at.text_input(key="gain_table_text").value == "0:0,1:1,2:1,3:1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", f"gain '': {NO_TABLE}"),
        ("x", f"gain 'x': {NO_TABLE}"),
        ("0:0,1:nan", f"gain '0:0,1:nan': {NO_TABLE}"),
        ("1:2,2:1", "gain '1:2,2:1': expected gains that never fall as the grade rises."),
        ("0:1", "gain '0:1': expected gain 0 for grade 0."),
        ("0:0,1:1e301", "gain '0:0,1:1e+301': expected finite gains, up to 1e+300."),
        (f"0:0,{NASTY['handler']}:1", f"gain '0:0,{NASTY['handler']}:1': {NO_TABLE}"),
    ],
)
def test_a_gain_table_that_is_none_leaves_the_last_one_in_use(text, message):
    last = "0:0,1:1,2:1,3:1"
    at = with_gain_table(app(unjudged="zero"), last)
    before, kept = headlines(at), address(at)
    checked(at.text_input(key="gain_table_text").set_value(text).run())
    assert sidebar_notes(at) == [f"{message} Numbers still stand under {last}."]
    assert notes(at) == []
    assert headlines(at) == before
    assert address(at) == kept
    assert at.text_input(key="gain_table_text").value == text, "what was typed can be corrected"
    for page in PAGES:
        go_to(at, page)
        assert len(sidebar_notes(at)) == 1
    go_to(at, "overview")
    checked(at.text_input(key="gain_table_text").set_value(TABLE).run())
    assert sidebar_notes(at) == []
    rules = replace(FIRST_RUN, unjudged="zero", gain=GainTable.parsed(TABLE))
    assert headlines(at) == core_headlines(rules)


def test_a_gain_table_that_misses_a_grade_is_a_refusal():
    at = app(gain="0:0,1:1")
    assert len(headlines(at)) == 10
    assert set(headlines(at).values()) == {"refuses: cannot be computed"}


@pytest.mark.parametrize("typed", ["7", " 7 "])
def test_any_whole_number_can_be_typed_as_cutoff(typed):
    at = choose(app(), "cutoff", typed)
    assert headlines(at) == core_headlines(replace(FIRST_RUN, cutoff=7))
    assert address(at) == BEST_TWO | {"cutoff": "7"}
    know_cutoff(at)
    go_to(at, "policy_effects")
    assert "NDCG@7" in page_text(at)


@pytest.mark.parametrize(
    ("typed", "quoted"),
    [
        ("abc", "'abc'"),
        ("0", "0"),
        ("-1", "'-1'"),
        ("2.5", "'2.5'"),
        ("\u0663", "'\u0663'"),
        (NASTY["handler"], f"'{NASTY['handler']}'"),
    ],
)
def test_a_cutoff_that_is_none_leaves_the_last_one_in_use(typed, quoted):
    at = choose(app(unjudged="zero"), "cutoff", "7")
    before = headlines(at)
    choose(at, "cutoff", typed)
    message = f'cutoff must be a whole number of at least 1, or "all", not {quoted}.'
    assert sidebar_notes(at) == [f"{message} Numbers still stand under 7."]
    assert notes(at) == []
    assert "NDCG@7 (" in page_text(at)
    assert {row[1]: row[2] for row in app_driver.table(at, "System", "judged@7")} == before
    assert address(at) == BEST_TWO | {"cutoff": "7", "unjudged": "zero"}
    know_cutoff(at)
    go_to(at, "queries")
    assert "NDCG@7 (" in page_text(at)
    assert len(sidebar_notes(at)) == 1
    choose(at, "cutoff", "5")
    assert sidebar_notes(at) == []
    assert "NDCG@5 (" in page_text(at)


def test_a_cutoff_that_is_none_at_first_leaves_that_of_the_first_policy_in_use():
    at = choose(app(), "cutoff", "ten")
    (said,) = sidebar_notes(at)
    assert said.endswith("Numbers still stand under 10.")
    know_cutoff(at)
    press(at, "Reset")
    assert sidebar_notes(at) == []
    assert policy(at)["cutoff"] == "10"


@pytest.mark.parametrize("digits", [20, 5000])
def test_a_cutoff_beyond_all_bounds_is_no_traceback(digits):
    choose(app(), "cutoff", "9" * digits)


# The address


def test_the_address_sets_every_control():
    wanted = {field: options[-1] for field, options in OPTIONS.items()}
    wanted |= {"cutoff": "7", "relevance_level": "2", "gain": "exponential"}
    at = app(**wanted)
    assert policy(at) == wanted | {"relevance_level": 2}
    assert not [note for note in notes(at) if "address" in note]


def test_the_address_says_what_differs_from_the_first_policy():
    at = app()
    assert address(at) == BEST_TWO
    choose(at, "gain", "exponential")
    choose(at, "unjudged", "zero")
    choose(at, "cutoff", "all")
    said = {"gain": "exponential", "unjudged": "zero", "cutoff": "all"}
    assert address(at) == BEST_TWO | said
    choose(at, "gain", "linear")
    assert address(at) == BEST_TWO | {"unjudged": "zero", "cutoff": "all"}


def test_an_address_that_was_written_opens_the_same_numbers():
    at = app()
    checked(at.selectbox(key="preset").set_value("trec_eval-9").run())
    choose(at, "zero_idcg", "leave_out")
    choose(at, "gain", "table")
    again = app(**address(at))
    assert policy(again) == policy(at)
    assert blocks(again) == blocks(at)
    assert again.query_params == at.query_params


def test_an_address_restores_everything_that_was_chosen():
    """Policy, pair, query, filter, text, and both orders: the page is the same to the last word."""
    at = app("queries", unjudged="zero")
    choose(at, "gain", "exponential")
    choose(at, "cutoff", "5")
    pick(at, "system", "bm25")
    pick(at, "baseline", "fusion")
    pick(at, "show", "second_better")
    pick(at, ORDER, "worst")
    pick(at, "sort", "spread")
    pick(at, "find", "THE")
    click_row(at, "pair_list", 2)
    query = listed(at, "pair_list")[2]
    assert address(at) == {
        "unjudged": "zero",
        "gain": "exponential",
        "cutoff": "5",
        "system": "bm25",
        "baseline": "fusion",
        "query": query,
        "show": "second_better",
        ORDER: "worst",
        "sort": "spread",
        "find": "THE",
    }
    again = app("queries", **address(at))
    assert blocks(again) == blocks(at)
    for key in ("every_system", "pair_list"):
        assert app_driver.frame(again, key).equals(app_driver.frame(at, key))
        assert app_driver.marked(again, key) == app_driver.marked(at, key)
    assert open_query(again) == (query, ["bm25", "fusion"])
    assert again.query_params == at.query_params
    for name in ("show", ORDER, "sort", "find"):
        assert again.session_state[f"{name}_choice"] == address(at)[name]


def test_the_address_has_one_meaning_for_each_name():
    """A page's own state must not be taken for a rule of the policy, nor take its place."""
    assert set(inputs.PAGE_STATE) & {field.name for field in fields(Policy)} == set()


def test_the_order_of_the_list_is_not_that_of_a_run():
    at = app("queries", unjudged="zero", order="rank_column")
    pick(at, ORDER, "worst")
    assert address(at)["order"] == "rank_column"
    again = app("queries", **address(at))
    assert policy(again) == policy(at)
    assert blocks(again) == blocks(at)
    choose(at, "order", "score")
    assert policy(app(**address(at))) == policy(at), "a link has the rules that were in use"


@pytest.mark.parametrize("name", ["show", ORDER, "sort"])
@pytest.mark.parametrize("value", ["nonsense", "99", "²", NASTY["handler"]])
def test_an_address_with_an_option_that_is_not_there_shows_the_first(name, value):
    at = app("queries", **{name: value})
    usual = {"show": "all", ORDER: "difference", "sort": "worst"}
    assert at.session_state[f"{name}_choice"] == usual[name]


def test_an_address_keeps_a_gain_table_to_the_last_digit():
    table_text = "0:0,1:0.3333333,2:0.6666667,3:1000001"
    at = with_gain_table(app(), table_text)
    assert GainTable.parsed(at.query_params["gain"]) == GainTable.parsed(table_text)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        (
            "gain",
            "2^g",
            "gain must be one of linear, exponential, binary, or a table such as 0:0,1:1,2:5, "
            "not '2^g'.",
        ),
        ("cutoff", "0", 'cutoff must be a whole number of at least 1, or "all", not 0.'),
        (
            "unjudged",
            "<b>",
            "unjudged must be one of zero, condense, refuse, refuse_any, not '<b>'.",
        ),
        (
            "relevance_level",
            "-1",
            "relevance_level must be a whole number of at least 1, not '-1'.",
        ),
        ("gain", "0:1", "gain '0:1': expected gain 0 for grade 0."),
    ],
)
def test_an_address_that_asks_the_impossible_gets_a_note(field, value, message):
    at = app(**{field: value, "average": "pooled"})
    assert f"The address: {message}" in notes(at)
    assert address(at) == {"system": "dense", "baseline": "dense-stopped", "average": "pooled"}
    assert "pooled NDCG@10" in page_text(at)
    assert not [note for note in notes(checked(at.run())) if "address" in note], "said once"


def test_the_address_keeps_the_policy_and_the_query_over_all_pages():
    at = app("queries", zero_idcg="one")
    click_row(at, "pair_list", 3)
    kept = BEST_TWO | {"zero_idcg": "one", "query": listed(at, "pair_list")[3]}
    for page in PAGES:
        assert address(go_to(at, page)) == kept


@pytest.mark.parametrize("page", ["overview", "policy_effects", "data"])
def test_other_pages_leave_what_queries_shows_in_the_address(page):
    """Opened or loaded anew there, the address still leads to the same query."""
    kept = {"system": "fusion", "baseline": "bm25", "query": "q06", "alone": "yes", "find": "a"}
    at = app(page, **kept, show="unjudged", sort="3")
    assert address(at) == kept | {"show": "unjudged", "sort": "3"}
    assert open_query(go_to(at, "queries")) == ("q06", ["fusion"])
    assert at.selectbox(key="sort_choice").value == "3"
