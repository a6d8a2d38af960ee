"""Why a file gave no text."""

from documents.errors import ProductError


class ExtractionFailed(ProductError):
    """The file itself cannot be read; trying again gives the same.

    `code` is one of empty, no_text, needs_encoding, unsupported, stream_limit, time_limit and
    memory_limit.
    """

    code = "unsupported"


class ExtractionCrashed(ProductError):
    """The child process ended without a verdict on the file; trying again may help."""

    code = "extraction_crashed"
