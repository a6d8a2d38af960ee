"""App registration."""

from django.apps import AppConfig


class AnswersConfig(AppConfig):
    """Register the answers app, its settings' check and its receiver."""

    name = "answers"

    def ready(self) -> None:
        """Check the settings and listen for purges."""
        from answers.conf import answer_config
        from answers.receivers import remove_what_cites
        from documents.signals import revisions_purged

        answer_config()
        revisions_purged.connect(remove_what_cites, dispatch_uid="answers.remove_what_cites")
