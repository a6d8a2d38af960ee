"""A text is indexed anew under a changed title, and is searched all the while."""

import pytest

from documents import services, work
from documents.models import Revision, Work
from documents.services import DocumentFields
from documents.work import StepFailed
from retrieval import registry
from retrieval.models import IndexedRevision, Passage, TermStatistic
from retrieval.types import SearchMode
from tests.builders import OPERATOR, add_text, build_document
from tests.fakes import FakeEmbedder
from tests.retrieval.conftest import titles_of
from tests.searching import owe_indexing
from tests.world import EARLIER

pytestmark = pytest.mark.db

TEXT = "# Leave\n\nTwenty days are granted. Ask the office first."
State = Work.State


@pytest.fixture
def document(rules):
    return build_document("Holidays", TEXT, rules, starts_at=EARLIER)


def rename(document, title):
    services.change_fields(document, DocumentFields(title=title), acted_by=OPERATOR)


def step_of(document):
    return Work.objects.get(revision__document=document, step=work.INDEX)


def counted(lexeme):
    counts = TermStatistic.objects.filter(lexeme=lexeme).values_list("passages", flat=True)
    return sum(counts)


def places():
    return list(Passage.objects.order_by("ordinal").values_list("ordinal", "start", "end"))


def test_a_changed_title_is_searched_once_the_step_is_done(document, ask):
    before, old_ids = places(), set(Passage.objects.values_list("pk", flat=True))
    rename(document, "Sabbaticals")
    assert step_of(document).state == State.OWED
    assert document.revisions.get().status == Revision.Status.READY
    assert titles_of(ask("holidays", mode=SearchMode.LEXICAL)) == ["Sabbaticals"]

    assert work.take_step(step_of(document).pk)
    assert titles_of(ask("holidays", mode=SearchMode.LEXICAL)) == []
    assert titles_of(ask("sabbaticals", mode=SearchMode.LEXICAL)) == ["Sabbaticals"]
    assert places() == before
    assert not old_ids & set(Passage.objects.values_list("pk", flat=True))
    assert (counted("holiday"), counted("sabbat"), counted("offic")) == (0, 1, 1)
    assert IndexedRevision.objects.get().counted_in == document.visibility_group
    assert document.revisions.get().status == Revision.Status.READY


def test_the_same_title_owes_nothing(document):
    rename(document, "Holidays")
    assert step_of(document).state == State.DONE


def test_a_text_that_was_never_indexed_is_not_owed_it(document):
    draft = add_text(document, "Thirty days.")
    rename(document, "Sabbaticals")
    assert not Work.objects.filter(revision=draft, step=work.INDEX).exists()


@pytest.mark.parametrize("attempts", [1, 3])
def test_a_step_that_fails_leaves_what_was_searched(document, ask, monkeypatch, attempts):
    def fail(lease):
        work.set_status(lease, Revision.Status.EMBEDDING)
        raise StepFailed("No.") if attempts == 1 else RuntimeError

    monkeypatch.setitem(work._STEPS, work.INDEX, fail)
    rename(document, "Sabbaticals")
    for _ in range(attempts):
        work.take_step(step_of(document).pk)
        Work.objects.update(not_before=None)
    assert step_of(document).state in {State.FAILED, State.QUARANTINED}
    assert document.revisions.get().status == Revision.Status.READY
    assert titles_of(ask("holidays", mode=SearchMode.LEXICAL)) == ["Sabbaticals"]


def test_a_title_changed_during_the_step_owes_it_again(document, ask, monkeypatch):
    class Renaming(FakeEmbedder):
        def embed_passages(self, texts):
            rename(document, "Sabbaticals")
            return super().embed_passages(texts)

    draft = add_text(document, "# Leave\n\nThirty days are granted.")
    owed = owe_indexing(draft)
    with monkeypatch.context() as patch:
        patch.setattr(registry, "get_embedder", lambda **_: Renaming())
        assert work.take_step(owed.pk)
    assert Revision.objects.get(pk=draft.pk).status == Revision.Status.READY
    owed.refresh_from_db()
    assert owed.state == State.OWED
    assert work.take_step(owed.pk)
    owed.refresh_from_db()
    assert owed.state == State.DONE
