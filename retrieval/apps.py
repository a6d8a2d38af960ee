"""App registration."""

from django.apps import AppConfig


class RetrievalConfig(AppConfig):
    """Register the retrieval app, its owed step and its two receivers."""

    name = "retrieval"

    def ready(self) -> None:
        """Say which function indexes a revision, and listen to documents."""
        from documents import signals, work
        from retrieval import receivers, registry
        from retrieval.indexing import index_when_possible

        work.register_step(
            work.INDEX,
            # Looked up at each call: what the registry gives may be replaced.
            lambda lease: index_when_possible(lease, find_embedder=registry.get_embedder),
        )
        signals.in_force_changed.connect(receivers.on_in_force_changed)
        signals.revisions_purged.connect(receivers.on_revisions_purged)
