"""ASGI entry point. The model loads before the first request, so that a ready site is ready.

Bodies that are too long are refused before Django keeps them on disk.
"""

import os

from django.core.asgi import get_asgi_application

from ragsite.body_limit import BodyLimit
from retrieval.registry import get_embedder

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ragsite.settings.local")

application = BodyLimit(get_asgi_application())
get_embedder()
