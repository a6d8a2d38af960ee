"""The OpenAPI description of the API, generated from its views."""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.views import SpectacularAPIView


class ApiDescription(SpectacularAPIView):
    """Serve the description, which is the same for everyone: YAML, or JSON where asked for."""

    throttle_classes = ()


ERROR_SCHEMA = {
    "type": "object",
    "description": "Why a request was not served; the codes are listed in docs/api.md.",
    "required": ["code", "message", "details", "request_id"],
    "properties": {
        "code": {"type": "string"},
        "message": {"type": "string"},
        "details": {"type": "object", "additionalProperties": {}},
        "request_id": {"type": "string"},
    },
}


def describe_errors(result: dict[str, Any], **_: object) -> dict[str, Any]:
    """Add to every operation the one shape in which it refuses."""
    result["components"]["schemas"]["Error"] = ERROR_SCHEMA
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    for operations in result["paths"].values():
        for operation in operations.values():
            operation["responses"]["default"] = {
                "description": "Any refusal: 4xx and 5xx.",
                "content": content,
            }
    return result


class AccessTokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # its base's hook
    """Describe access tokens in the OpenAPI document."""

    target_class = "documents.authentication.AccessTokenAuthentication"
    name = "accessToken"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:  # noqa: ARG002 - spectacular's signature
        """Return the scheme."""
        return {"type": "http", "scheme": "bearer"}


class BrowserSessionScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # its base's hook
    """Describe the browser's session in the OpenAPI document."""

    target_class = "documents.authentication.BrowserSession"
    name = "browserSession"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:  # noqa: ARG002 - spectacular's signature
        """Return the scheme."""
        return {"type": "apiKey", "in": "cookie", "name": "sessionid"}
