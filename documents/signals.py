"""News for other apps. Senders pass ids; receivers do one thing each."""

from django.dispatch import Signal

# Sent inside the transaction that changed which revisions are in force, or in which group.
# kwargs: document_ids (list[int]), at (datetime)
in_force_changed = Signal()

# Sent inside the transaction that purges revisions, before their rows go.
# kwargs: revision_ids (list[int])
revisions_purged = Signal()

# Sent after a revision's status was committed. kwargs: revision_id (int), status (str)
status_changed = Signal()
