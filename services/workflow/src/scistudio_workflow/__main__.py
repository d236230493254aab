"""``python -m scistudio_workflow``: the workflow service alone."""

import sys

from scistudio_platform.service import main

from scistudio_workflow.service import NAME, build
from scistudio_workflow.settings import WorkflowSettings

if __name__ == "__main__":
    sys.exit(main(NAME, build, WorkflowSettings))
