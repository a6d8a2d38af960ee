import pytest

from answers.grounding import DeterministicChecker, OfferedSpan, citation_fault, ground
from answers.types import CitedSpan, Draft, DraftClaim, Fault

BACKUPS = "Backups are retained for 30 days."
REFUNDS = "Refund requests must be made within 14 days."
FINANCE = "Travel above 500 EUR needs approval."
TEXTS = {1: BACKUPS, 2: REFUNDS, 3: FINANCE}
OFFERED = [
    OfferedSpan(revision_id=1, start=0, end=len(BACKUPS)),
    OfferedSpan(revision_id=2, start=0, end=len(REFUNDS)),
]
CHECKER = DeterministicChecker(least_word_share=0.6)


def span_of(revision_id: int, quote: str, start: int = 0) -> CitedSpan:
    return CitedSpan(revision_id=revision_id, start=start, end=start + len(quote), quote=quote)


def faults_of(*claims: DraftClaim) -> tuple[Fault | None, ...]:
    return ground(Draft(claims=claims), OFFERED, TEXTS, checker=CHECKER).faults


def test_a_valid_citation_does_not_make_its_claim_supported():
    first = DraftClaim(text="Backups are retained for 30 days", spans=(span_of(1, BACKUPS),))
    second = DraftClaim(
        text="All deleted files are recoverable for 30 days", spans=(span_of(1, BACKUPS),)
    )
    validity = [citation_fault(claim.spans[0], OFFERED, TEXTS) for claim in (first, second)]
    assert validity == [None, None]
    grounded = ground(Draft(claims=(first, second)), OFFERED, TEXTS, checker=CHECKER)
    assert grounded.claims == (first,)
    assert grounded.faults == (None, Fault.WORDS_UNSUPPORTED)


def test_a_citation_of_another_groups_rule_is_rejected():
    assert faults_of(DraftClaim(spans=(span_of(3, FINANCE),))) == (Fault.NOT_OFFERED,)


def test_a_quote_that_the_rule_does_not_hold_is_rejected():
    start = REFUNDS.index("14 days")
    assert faults_of(DraftClaim(spans=(span_of(2, "30 days", start),))) == (Fault.QUOTE_DIFFERS,)


def test_another_number_than_in_the_valid_quote_is_rejected():
    claim = DraftClaim(
        text="Refund requests must be made within 90 days.", spans=(span_of(2, REFUNDS),)
    )
    assert faults_of(claim) == (Fault.NUMBER_UNSUPPORTED,)


def test_a_quote_is_a_claim_that_needs_no_further_check():
    claim = DraftClaim(spans=(span_of(2, REFUNDS),))
    assert ground(Draft(claims=(claim,)), OFFERED, TEXTS, checker=CHECKER).claims == (claim,)


def test_a_claim_without_citations_is_rejected():
    assert faults_of(DraftClaim(text=REFUNDS, spans=())) == (Fault.NO_CITATION,)


def test_a_span_that_reaches_beyond_what_was_offered_is_rejected():
    narrow = [OfferedSpan(revision_id=2, start=0, end=10)]
    assert citation_fault(span_of(2, REFUNDS), narrow, TEXTS) is Fault.NOT_OFFERED


@pytest.mark.parametrize(
    ("claim", "quote", "fault"),
    [
        ("Requests close Friday.", "Requests close Wednesday.", Fault.NUMBER_UNSUPPORTED),
        ("Keep it for 14 weeks.", "Keep it for 14 days.", Fault.UNIT_UNSUPPORTED),
        ("The fee is $20.", "The fee is 20.", Fault.UNIT_UNSUPPORTED),
        ("The fee is 3 %.", "The fee is 3 EUR.", Fault.UNIT_UNSUPPORTED),
        ("Guests may not enter.", "Guests may enter.", Fault.NEGATION_DIFFERS),
        ("Guests may enter.", "Guests may not enter.", Fault.NEGATION_DIFFERS),
        ("…", "Guests may enter.", Fault.WORDS_UNSUPPORTED),
        ("Guests may enter within fourteen days.", "Guests may enter within 10 days.", None),
        ("Guests may enter within ten days.", "Guests may enter within 10 days.", None),
        ("Storage is 1,000 GB.", "Storage is 1000 GB.", None),
    ],
)
def test_numbers_dates_units_and_negations_must_be_in_the_quotes(claim, quote, fault):
    assert CHECKER.find_fault(claim, [quote]) is fault
