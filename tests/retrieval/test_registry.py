import subprocess
import sys


def test_importing_the_registry_loads_no_model_library():
    code = "import sys, retrieval.registry; sys.exit('torch' in sys.modules)"
    finished = subprocess.run([sys.executable, "-c", code], check=False)  # noqa: S603 - our own code
    assert finished.returncode == 0
