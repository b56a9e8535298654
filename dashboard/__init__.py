"""The Streamlit app: asks core, draws with Altair."""
