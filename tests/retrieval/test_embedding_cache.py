"""A text is embedded once for an index and a group, and anew for every other group."""

import pytest

from documents import services
from retrieval.embedding_cache import find_known_vectors
from retrieval.indexing import embedded_hash
from retrieval.models import Passage, SearchIndex
from tests.builders import OPERATOR, build_document, build_group, build_revision
from tests.world import EARLIER

pytestmark = pytest.mark.db

TEXT = "# Leave\n\nTwenty days of leave. Ask the office first."


@pytest.fixture
def lab(db):
    return build_group("lab")


def embedded_by(embedder, action):
    """Return what the model was given while the action ran."""
    before = len(embedder.embedded)
    action()
    return embedder.embedded[before:]


def test_equal_texts_of_one_revision_are_embedded_once(embedder, lab):
    build_document("Rules", "Ask first.\n\nAsk first.\n\nAsk first.", lab, starts_at=EARLIER)
    assert embedder.embedded.count("Ask first.") == 1


def test_a_text_known_to_the_group_is_not_embedded_again(embedder, lab):
    build_document("Rules", TEXT, lab, starts_at=EARLIER)
    again = embedded_by(embedder, lambda: build_document("Rules", TEXT, lab, slug="copy"))
    assert again == []
    vectors = Passage.objects.values_list("embedding", flat=True)
    assert len(vectors) == 2
    assert vectors[0] == vectors[1]


def test_another_title_embeds_the_passage_and_no_sentence(embedder, lab):
    build_document("Rules", TEXT, lab)
    again = embedded_by(embedder, lambda: build_document("Other", TEXT, lab))
    assert len(again) == 1
    assert "Other" in again[0]


def test_a_changed_sentence_is_all_that_is_new(embedder, lab):
    document = build_document("Rules", TEXT, lab)
    changed = TEXT.replace("Twenty", "Thirty")
    again = embedded_by(embedder, lambda: build_revision(document, changed, publish=False))
    assert len(again) == 2  # the passage, and its one new sentence
    assert min(again, key=len) == "Thirty days of leave."


def test_another_group_embeds_everything_itself(embedder, lab):
    first = embedded_by(embedder, lambda: build_document("Rules", TEXT, lab))
    other = build_group("other", reach="public")
    again = embedded_by(embedder, lambda: build_document("Rules", TEXT, other))
    assert sorted(again) == sorted(first)
    assert len(again) > 1


def test_a_document_that_moved_away_lends_nothing(embedder, lab):
    document = build_document("Rules", TEXT, lab)
    services.move_document(document, to_group=build_group("other"), acted_by=OPERATOR)
    again = embedded_by(embedder, lambda: build_document("Rules", TEXT, lab))
    assert len(again) > 1


def test_another_index_lends_nothing(embedder, lab):
    build_document("Rules", TEXT, lab)
    index = SearchIndex.objects.get()
    hashes = list(Passage.objects.values_list("embedded_hash", flat=True))
    assert len(find_known_vectors(index, group_id=lab.pk, hashes=hashes)) == 1
    index.pk, index.name, index.status = None, "second", SearchIndex.Status.BUILDING
    index.save()
    assert find_known_vectors(index, group_id=lab.pk, hashes=hashes) == {}


def test_the_hash_tells_texts_apart_and_not_runs():
    assert embedded_hash("leave") == embedded_hash("leave") != embedded_hash("leave ")
