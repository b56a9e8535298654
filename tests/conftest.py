"""Settings of the whole suite."""

from hypothesis import settings

# How long one example takes says more about the machine than about the code.
settings.register_profile("suite", deadline=None)
settings.load_profile("suite")
