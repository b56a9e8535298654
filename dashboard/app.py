"""The dashboard: page set-up, navigation and the policy sidebar. It computes nothing."""

from importlib import import_module
from pathlib import Path

import pyarrow as pa
import streamlit as st

from dashboard import inputs, pages
from dashboard.wording import say

HERE = Path(__file__).parent

pa.set_memory_pool(pa.system_memory_pool())  # Arrow's own pools keep what they once had.
st.set_page_config(page_title=say("page.title"), page_icon=HERE / "icon.svg", layout="wide")
st.html(HERE / "style.css")
page = st.navigation(
    [
        st.Page(HERE / "views" / "overview.py", title=say("page.overview"), default=True),
        st.Page(HERE / "views" / "policy_effects.py", title=say("page.policy_effects")),
        st.Page(HERE / "views" / "combinations.py", title=say("page.combinations")),
        st.Page(HERE / "views" / "tools.py", title=say("page.tools")),
        st.Page(HERE / "views" / "queries.py", title=say("page.queries")),
        st.Page(HERE / "views" / "data.py", title=say("page.data")),
        st.Page(HERE / "views" / "trap.py", title=say("page.trap")),
    ],
    position="top",
)
inputs.start()
selection = inputs.sidebar()
try:
    page.run()
finally:  # A page that stops early has an address, too.
    inputs.write_address(selection, pages.address())
# Charts take a second to import, once a server: after the first page is drawn, not while it waits.
import_module("dashboard.charts")
