"""When not to answer. Pure policy: no wording, no database."""

from answers.types import Draft, RefusalReason
from retrieval.evidence import PackedEvidence


def reason_before_writing(
    evidence: PackedEvidence, *, confidence: float, threshold: float
) -> RefusalReason | None:
    """Give why nothing should be written from this evidence; None where it may be tried."""
    if not evidence.packed and not evidence.skipped:
        return RefusalReason.NO_EVIDENCE
    if not evidence.packed:
        return RefusalReason.OVER_BUDGET
    if confidence < threshold:
        return RefusalReason.LOW_RETRIEVAL_CONFIDENCE
    return None


def reason_after_writing(draft: Draft, *, claims_left: int) -> RefusalReason | None:
    """Give why what was written must not be sent; None where claims are left."""
    if not draft.claims:
        return RefusalReason.INSUFFICIENT_CONTEXT
    if not claims_left:
        return RefusalReason.UNVERIFIED_CLAIM
    return None
