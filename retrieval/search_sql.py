"""The search, as the database does it: one statement for words, meaning and their fusion.

Every statement begins with PERMITTED, into which search.py sets the one subquery that
documents/visibility.py gives; all values are named parameters. Scores count higher as better.
Ties go by document, revision number and start, which survive re-indexing.

Two shapes. SEARCH_BY_SCAN reads every permitted passage once and is exact; it is the faster one
for as many passages as the exact limit. SEARCH_BY_INDEX takes the candidates by words from the
lexemes' index and those by meaning from the graph.
"""

PERMITTED = """
WITH permitted AS MATERIALIZED (
    {permitted_revisions}
)
"""

CENSUS = (
    PERMITTED
    + """
SELECT permitted.language, sum(indexed.passages)
FROM permitted
JOIN retrieval_indexedrevision AS indexed
  ON indexed.revision_id = permitted.revision_id AND indexed.index_id = %(index_id)s
GROUP BY permitted.language
ORDER BY permitted.language
"""
)

# Passages in a language that the embedder does not know count by foreign_weight; where that is
# nothing, they stand behind all that count and stretch no scale.
WEIGHED = """
, weighed AS MATERIALIZED (
    SELECT permitted.*,
           CASE WHEN language = ANY (%(known_languages)s::text[]) THEN %(dense_weight)s
                ELSE %(foreign_weight)s END AS weight
    FROM permitted
)
"""

# The scan is materialised before anything is ordered, so that the planner can never answer the
# ordering with the graph, which would make the exact search approximate. The lateral subquery
# keeps it from reading the whole table for a reader who may read little.
SCANNED = """
, scanned AS MATERIALIZED (
    SELECT passage.id, passage.start, weighed.document_id, weighed.number, weighed.weight,
           CASE WHEN %(uses_words)s
                THEN -(passage.weights <#> %(question_weights)s::sparsevec) END AS score,
           CASE WHEN %(uses_meaning)s
                THEN 1 - (passage.embedding <=> %(question_vector)s::halfvec) END AS similarity
    FROM weighed
    CROSS JOIN LATERAL (
        SELECT id, start, weights, embedding
        FROM retrieval_passage
        WHERE revision_id = weighed.revision_id AND index_id = %(index_id)s
        OFFSET 0
    ) AS passage
)
, matching AS MATERIALIZED (
    SELECT id, start, document_id, number, score
    FROM scanned
    WHERE score > 0
    ORDER BY score DESC, document_id, number, start
    LIMIT %(pool)s
)
, nearest AS MATERIALIZED (
    SELECT id, start, document_id, number, weight, similarity
    FROM scanned
    WHERE similarity IS NOT NULL
    ORDER BY weight > 0 DESC, similarity DESC, document_id, number, start
    LIMIT %(pool)s
)
"""

# The cast and the literal index id are those of the index's own partial graph. "IS TRUE" keeps the
# permitted revisions a filter by hash: as an array they tempted the planner to read every permitted
# passage by the index on revision_id and sort them (407 ms instead of 44 for 200,000 passages).
INDEXED = """
, matching AS MATERIALIZED (
    SELECT passage.id, passage.start, weighed.document_id, weighed.number,
           -(passage.weights <#> %(question_weights)s::sparsevec) AS score
    FROM retrieval_passage AS passage
    JOIN weighed ON weighed.revision_id = passage.revision_id
    WHERE passage.index_id = %(index_id)s
      AND passage.lexemes @@ %(question_lexemes)s::tsquery
      AND %(uses_words)s
    ORDER BY score DESC, document_id, number, start
    LIMIT %(pool)s
)
, graph AS MATERIALIZED (
    SELECT passage.id, passage.revision_id, passage.start,
           1 - (passage.embedding::halfvec(%(width)s)
                <=> %(question_vector)s::halfvec(%(width)s)) AS similarity
    FROM retrieval_passage AS passage
    WHERE passage.index_id = %(index_id)s
      AND (passage.revision_id IN (
          SELECT revision_id FROM weighed WHERE weight > 0 OR NOT %(leaves_out_foreign)s)) IS TRUE
      AND %(uses_meaning)s
    ORDER BY passage.embedding::halfvec(%(width)s) <=> %(question_vector)s::halfvec(%(width)s)
    LIMIT %(pool)s
)
, nearest AS MATERIALIZED (
    SELECT graph.id, graph.start, weighed.document_id, weighed.number, weighed.weight,
           graph.similarity
    FROM graph JOIN weighed USING (revision_id)
)
"""

FUSED = """
, by_words AS (
    SELECT id, score,
           row_number() OVER (ORDER BY score DESC, document_id, number, start) AS rank,
           CASE WHEN %(shares_words)s
                THEN score / %(question_total)s
                ELSE coalesce((score - min(score) OVER ())
                     / nullif(max(score) OVER () - min(score) OVER (), 0), 1.0)
           END AS stretched
    FROM matching
)
, by_meaning AS (
    SELECT id, weight,
           row_number() OVER (ORDER BY weight > 0 DESC, similarity DESC,
                              document_id, number, start) AS rank,
           coalesce((similarity - min(similarity) OVER alike)
               / nullif(max(similarity) OVER alike - min(similarity) OVER alike, 0), 1.0)
               AS stretched
    FROM nearest
    WINDOW alike AS (PARTITION BY weight > 0)
)
, fused AS (
    SELECT id, words.rank AS lexical_rank, meaning.rank AS dense_rank,
           CASE WHEN %(fuses_ranks)s
                THEN coalesce(%(lexical_weight)s / (%(rank_constant)s + words.rank), 0)
                   + coalesce(meaning.weight
                              / (%(rank_constant)s + meaning.rank), 0)
                ELSE coalesce(%(lexical_weight)s * words.stretched, 0)
                   + coalesce(meaning.weight * meaning.stretched, 0)
           END AS score
    FROM by_words AS words
    FULL JOIN by_meaning AS meaning USING (id)
)
, chosen AS MATERIALIZED (
    SELECT fused.id, passage.revision_id, permitted.document_id, permitted.number,
           permitted.language, passage.start, passage."end", passage.section_start,
           passage.section_end, passage.heading_path, passage.kind, passage.page_from,
           fused.lexical_rank, fused.dense_rank,
           -(passage.weights <#> %(question_weights)s::sparsevec) AS lexical_score,
           CASE WHEN %(uses_meaning)s
                THEN 1 - (passage.embedding <=> %(question_vector)s::halfvec) END AS similarity,
           fused.score
    FROM fused
    JOIN retrieval_passage AS passage ON passage.id = fused.id
    JOIN permitted ON permitted.revision_id = passage.revision_id
    ORDER BY fused.score DESC, permitted.document_id, permitted.number, passage.start
    LIMIT %(kept)s
)
SELECT chosen.*, sentences.starts, sentences.ends, sentences.similarities,
       (SELECT count(*) FROM nearest)
FROM chosen
LEFT JOIN LATERAL (
    SELECT array_agg(sentence.start ORDER BY sentence.start) AS starts,
           array_agg(sentence."end" ORDER BY sentence.start) AS ends,
           array_agg(1 - (sentence.embedding <=> %(question_vector)s::halfvec)
                     ORDER BY sentence.start) AS similarities
    FROM retrieval_sentence AS sentence
    WHERE sentence.passage_id = chosen.id
) AS sentences ON true
ORDER BY chosen.score DESC, chosen.document_id, chosen.number, chosen.start
"""

SEARCH_BY_SCAN = PERMITTED + WEIGHED + SCANNED + FUSED
SEARCH_BY_INDEX = PERMITTED + WEIGHED + INDEXED + FUSED

TERM_STATISTICS = """
SELECT lexeme, sum(passages)
FROM retrieval_termstatistic
WHERE index_id = %(index_id)s AND lexeme = ANY (%(lexemes)s)
  AND visibility_group_id IN ({readable_groups})
GROUP BY lexeme
"""

COUNTED_PASSAGES = """
SELECT coalesce(sum(passages), 0)
FROM retrieval_indexedrevision
WHERE index_id = %(index_id)s AND counted_in_id IN ({readable_groups})
"""

TIME_LIMIT = "SELECT set_config('statement_timeout', %(statement_timeout_ms)s::text, true)"

GRAPH_SETTINGS = """
SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true),
       set_config('hnsw.ef_search', %(ef_search)s::text, true),
       set_config('hnsw.max_scan_tuples', %(max_scan_tuples)s::text, true)
"""
