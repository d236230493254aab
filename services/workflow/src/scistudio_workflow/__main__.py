"""``python -m scistudio_workflow``: the workflow service alone."""

import sys

from scistudio_platform.service import run_service

from scistudio_workflow.service import NAME, build
from scistudio_workflow.settings import WorkflowSettings

if __name__ == "__main__":
    sys.exit(run_service(NAME, build, WorkflowSettings()))
