"""What can go wrong between a text and its ranked passages, one class per thing to act on."""

from documents.errors import ProductError


class RetrievalError(ProductError):
    """The root of the errors of retrieval."""

    code = "retrieval_error"


class ModelUnavailable(RetrievalError):
    """A configured model cannot be found or loaded; the message names its path and the reason."""

    code = "model_unavailable"


class PassageTooLong(RetrievalError):
    """A text to embed holds more tokens than the model reads; it is never cut silently."""

    code = "passage_too_long"


class NothingToSearchFor(RetrievalError):
    """A question holds no word that could be looked for."""

    code = "nothing_to_search_for"


class QuestionTooLong(RetrievalError):
    """A question is longer than the stated limit."""

    code = "question_too_long"


class EmbedderChanged(RetrievalError):
    """The loaded model is not the one that the active index was made with."""

    code = "embedder_changed"


class IndexSettingsChanged(RetrievalError):
    """Settings that are part of an index differ from those that the active one was made with."""

    code = "index_settings_changed"


class SearchTimedOut(RetrievalError):
    """The database did not answer within the stated time; others' questions go first."""

    code = "search_timed_out"
