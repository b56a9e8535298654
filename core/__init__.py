"""Scores retrieval runs against one frozen set of judgments, under an explicit policy."""
