"""The app of the fault tests' sites: a light model, and restarts that do not wait ever longer."""

import sys

from django.apps import AppConfig


class FaultsConfig(AppConfig):
    """Put the light model in the place of the real one, in every process of the site."""

    name = "tests.ragsite.faults"

    def ready(self) -> None:
        """Replace the module that would load torch, before anything asks for a model."""
        import retrieval
        from ragsite import supervision
        from tests.ragsite.faults import light_models

        sys.modules["retrieval.models_local"] = light_models
        setattr(retrieval, "models_local", light_models)  # noqa: B010 - what an import would set
        supervision.LONGEST_PAUSE_SECONDS = supervision.FIRST_PAUSE_SECONDS
