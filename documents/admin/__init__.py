"""The administration of documents. Importing its modules registers their pages with Django."""

from documents.admin import accounts, groups, pages, tokens, trail

__all__ = ["accounts", "groups", "pages", "tokens", "trail"]
