"""ASGI entry point. The model loads before the first request, so that a ready site is ready."""

import os

from django.core.asgi import get_asgi_application

from retrieval.registry import get_embedder

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ragsite.settings.local")

application = get_asgi_application()
get_embedder()
