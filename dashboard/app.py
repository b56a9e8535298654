"""The dashboard: page set-up, navigation and the policy sidebar. It computes nothing."""

from pathlib import Path

import streamlit as st

from core.errors import PolicyError
from dashboard import inputs, pages, sentences

HERE = Path(__file__).parent

st.set_page_config(page_title="Retriever Dashboard", page_icon=HERE / "icon.svg", layout="wide")
st.html(HERE / "style.css")
page = st.navigation(
    [
        st.Page(HERE / "views" / "overview.py", title="Overview", default=True),
        st.Page(HERE / "views" / "policy_effects.py", title="Policy effects"),
        st.Page(HERE / "views" / "queries.py", title="Queries"),
        st.Page(HERE / "views" / "data.py", title="Data"),
    ],
    position="top",
)
inputs.start()
try:
    selection = inputs.sidebar()
except PolicyError as error:
    st.html(sentences.note(str(error)))
    st.stop()
try:
    page.run()
finally:  # A page that stops early has an address, too.
    inputs.write_address(selection, pages.address())
