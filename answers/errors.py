"""What can go wrong around an answer, one class per thing to act on."""

from documents.errors import InvalidInput, ProductError


class AnswerNotFound(ProductError):
    """No such answer, or not this reader's: the two look the same."""

    code = "answer_not_found"

    def __init__(self) -> None:
        """Always the same sentence, whatever the reason."""
        super().__init__("There is no such answer, or it is not yours.")


class UnknownWriter(InvalidInput):
    """No writer of that name is configured."""

    code = "unknown_writer"


class InvalidCursor(InvalidInput):
    """A page of the history that is not there."""

    code = "invalid_cursor"


class CalibrationFailed(ProductError):
    """The labelled questions do not allow a threshold to be chosen."""

    code = "calibration_failed"
