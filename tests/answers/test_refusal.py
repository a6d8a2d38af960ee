from answers.refusal import reason_after_writing, reason_before_writing
from answers.types import Draft, DraftClaim, RefusalReason
from retrieval.evidence import PackedEvidence
from tests.answers.evidence_builders import evidence_of, ranked

TEXT = "Refunds take 14 days."
ITEM = evidence_of({1: TEXT}, ranked(TEXT))
FULL = PackedEvidence(packed=ITEM, skipped=(), repeated=(), budget_tokens=100)
OVER = PackedEvidence(packed=(), skipped=ITEM, repeated=(), budget_tokens=0)
EMPTY = PackedEvidence(packed=(), skipped=(), repeated=(), budget_tokens=100)


def test_without_evidence_nothing_is_written():
    reason = reason_before_writing(EMPTY, confidence=1, threshold=0)
    assert reason is RefusalReason.NO_EVIDENCE


def test_evidence_that_does_not_fit_is_never_answered_from():
    reason = reason_before_writing(OVER, confidence=1, threshold=0)
    assert reason is RefusalReason.OVER_BUDGET


def test_below_the_threshold_nothing_is_written():
    reason = reason_before_writing(FULL, confidence=0.49, threshold=0.5)
    assert reason is RefusalReason.LOW_RETRIEVAL_CONFIDENCE
    assert reason_before_writing(FULL, confidence=0.5, threshold=0.5) is None


def test_a_draft_without_claims_says_that_the_evidence_was_too_little():
    reason = reason_after_writing(Draft(claims=()), claims_left=0)
    assert reason is RefusalReason.INSUFFICIENT_CONTEXT


def test_a_draft_of_which_nothing_holds_is_refused():
    draft = Draft(claims=(DraftClaim(spans=()),))
    assert reason_after_writing(draft, claims_left=0) is RefusalReason.UNVERIFIED_CLAIM
    assert reason_after_writing(draft, claims_left=1) is None
