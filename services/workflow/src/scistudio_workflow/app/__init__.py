"""Use cases: projects, workflows, the catalog and the plan of a run."""
