"""Rules about the shape of the code that a reader should be able to rely on."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LAYERS = ["documents", "retrieval", "answers", "evaluation"]
PACKAGES = [*LAYERS, "ragsite"]
MAX_MODULE_LINES = 400
MAX_FUNCTION_LINES = 40
MAX_CLASS_LINES = 200
LOCAL_IMPORTS_ALLOWED = {"apps.py", "registry.py"}
ML_LIBRARIES = {"torch", "sentence_transformers", "transformers"}


def files_of(package: str) -> list[Path]:
    return [p for p in sorted((ROOT / package).rglob("*.py")) if "migrations" not in p.parts]


def imported_modules(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def test_imports_point_down():
    for level, app in enumerate(LAYERS):
        higher = {*LAYERS[level + 1 :], "ragsite"}
        for path in files_of(app):
            for module in imported_modules(path):
                assert module.split(".")[0] not in higher, f"{path} imports {module}"


@pytest.mark.parametrize("package", PACKAGES)
def test_modules_functions_and_classes_stay_small(package):
    for path in files_of(package):
        text = path.read_text(encoding="utf-8")
        assert len(text.splitlines()) <= MAX_MODULE_LINES, f"{path} is too long"
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                assert length(node) <= MAX_FUNCTION_LINES, f"{path}: {node.name} is too long"
            elif isinstance(node, ast.ClassDef):
                assert length(node) <= MAX_CLASS_LINES, f"{path}: {node.name} is too long"


def length(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> int:
    """Lines of the node without its docstring, which may be as long as it needs to be."""
    first, last = node.lineno, node.end_lineno or node.lineno
    lines = last - first + 1
    docstring = node.body[0]
    if isinstance(docstring, ast.Expr) and isinstance(docstring.value, ast.Constant):
        lines -= (docstring.end_lineno or docstring.lineno) - docstring.lineno + 1
    return lines


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_stand_at_the_top(package):
    for path in files_of(package):
        if path.name in LOCAL_IMPORTS_ALLOWED:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                for inner in ast.walk(node):
                    assert not isinstance(inner, ast.Import | ast.ImportFrom), (
                        f"{path}: {node.name} imports inside"
                    )


def test_only_one_module_loads_model_libraries():
    for package in PACKAGES:
        for path in files_of(package):
            if path.name == "models_local.py":
                continue
            for module in imported_modules(path):
                assert module.split(".")[0] not in ML_LIBRARIES, f"{path} imports {module}"


def test_only_visibility_and_grants_know_the_permission_rows():
    # Safety judges the gate, so it reads the rows itself instead of asking the gate about itself.
    judge = "evaluation/safety.py"
    allowed = {"documents/visibility.py", "documents/grants.py", "documents/models.py", judge}
    for package in PACKAGES:
        for path in files_of(package):
            if path.relative_to(ROOT).as_posix() in allowed:
                continue
            text = path.read_text(encoding="utf-8")
            assert "ObjectPermission" not in text, f"{path} reads permission rows"
            assert "import guardian" not in text, f"{path} imports guardian"
            assert "from guardian" not in text, f"{path} imports guardian"


def test_only_visibility_builds_scopes():
    for package in PACKAGES:
        for path in files_of(package):
            if path.relative_to(ROOT).as_posix() == "documents/visibility.py":
                continue
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                    assert node.func.id not in {"ReadScope", "Viewer"}, f"{path} builds a scope"


def test_only_environ_reads_the_environment():
    for path in files_of("ragsite") + [p for app in LAYERS for p in files_of(app)]:
        if path.name in {"environ.py", "asgi.py", "celery.py"}:
            continue
        assert "os.environ" not in path.read_text(encoding="utf-8"), f"{path} reads os.environ"
