"""Product knobs, one dict an app. Every key is described in docs/settings.md."""

from __future__ import annotations

from ragsite.settings import environ

DOCUMENTS: dict[str, object] = {
    "upload_max_bytes": environ.read_number(
        "RAGSITE_UPLOAD_MAX_BYTES", 50_000_000, minimum=1_000, maximum=2_000_000_000
    ),
    "lease_seconds": 60,
    "lease_renewal_seconds": 15,
    "max_deaths": 3,
    "sweep_seconds": 30,
    "scheduled_lag_seconds": 900,
    "api_body_max_bytes": 1_000_000,
    "api_page_size": 50,
    "api_page_size_max": 200,
    "text_window_chars": 100_000,
    "extraction_seconds": 120,
    "extraction_memory_bytes": 1 << 30,
    "extraction_output_bytes": 200_000_000,
    "extraction_text_chars": 50_000_000,
    "reads_per_minute": environ.read_number(
        "RAGSITE_READS_PER_MINUTE", 1_200, minimum=1, maximum=1_000_000
    ),
    "questions_per_minute": environ.read_number(
        "RAGSITE_QUESTIONS_PER_MINUTE", 300, minimum=1, maximum=1_000_000
    ),
    "writes_per_minute": environ.read_number(
        "RAGSITE_WRITES_PER_MINUTE", 300, minimum=1, maximum=1_000_000
    ),
    "sign_ins_per_minute": environ.read_number(
        "RAGSITE_SIGN_INS_PER_MINUTE", 10, minimum=1, maximum=1_000_000
    ),
}

RETRIEVAL: dict[str, object] = {}

ANSWERS: dict[str, object] = {
    "writer": environ.read_text("RAGSITE_ANSWER_WRITER", "extractive"),
    "passages": 10,
    "evidence_tokens": 4_000,
    "most_overlap": 0.5,
    "answer_sentences": 3,
    "answer_max_chars": 900,
    "answer_target_chars": 500,
    "least_sentence_share": 0.7,
    "least_word_share": 0.6,
    "similarity_weight": 1.0,
    "neighbour_weight": 0.25,
    "passage_weight": 0.5,
    "words_weight": 0.75,
    "amount_weight": 0.2,
    "confidence_threshold": None,
    "calibration_file": "",
}

EVALUATION: dict[str, object] = {
    "configs": {
        "lexical": {"mode": "lexical"},
        "dense": {"mode": "dense"},
        "ranks": {"retrieval": {"fusion": "ranks"}},
        "sentences": {"retrieval": {"sentence_weight": 0.3, "rerank_size": 50}},
    },
}
