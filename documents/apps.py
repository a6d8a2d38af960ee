"""App registration."""

from django.apps import AppConfig


class DocumentsConfig(AppConfig):
    """Register the documents app and its owed step."""

    name = "documents"

    def ready(self) -> None:
        """Say which function reads a file."""
        from documents import extracting, work

        work.register_step(work.EXTRACT, extracting.extract_revision)
