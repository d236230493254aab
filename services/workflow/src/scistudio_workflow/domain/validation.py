"""All checks of a workflow, in the order of the file format's documentation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from scistudio_workflow.domain.block_checks import (
    IsFile,
    bind,
    check_block_types,
    check_edges,
    check_exposures,
    check_extensions,
    check_inputs_connected,
    check_port_counts,
)
from scistudio_workflow.domain.boundary_checks import check_boundary_formats, check_code_blocks
from scistudio_workflow.domain.catalog import Catalog
from scistudio_workflow.domain.config_checks import ConfigChecker
from scistudio_workflow.domain.flatten import Graph
from scistudio_workflow.domain.graph_checks import check_graph
from scistudio_workflow.domain.model import Mode, Node, Problem, Severity, errors_first


def validate(graph: Graph, catalog: Catalog | None, mode: Mode, *, is_file: IsFile) -> list[Problem]:
    """Say everything that is wrong with a workflow, errors first.

    Parameters
    ----------
    graph : Graph
        The flattened workflow.
    catalog : Catalog or None
        The known blocks and types. None: only what can be said without them.
    mode : Mode
        ``DRAFT`` leaves out what only a run needs.
    is_file : callable
        Says whether a project-relative path is a file of the project.
    """
    if not graph.nodes and not graph.dangling:
        return []
    sources = {node.id: node for node in graph.nodes if node.source}
    return errors_first(_placed(problem, sources) for problem in _all(graph, catalog, mode, is_file))


def _all(graph: Graph, catalog: Catalog | None, mode: Mode, is_file: IsFile) -> Iterator[Problem]:
    strict = mode is Mode.STRICT
    if strict:
        yield from graph.unresolved
    yield from graph.dangling if strict else (replace(problem, severity=Severity.WARNING) for problem in graph.dangling)
    yield from check_graph(graph)
    if catalog is not None:
        yield from _of_blocks(graph, catalog, mode, is_file)


def _of_blocks(graph: Graph, catalog: Catalog, mode: Mode, is_file: IsFile) -> Iterator[Problem]:
    bound = bind(graph, catalog)
    checker = ConfigChecker(catalog, mode)
    yield from check_block_types(graph, catalog, mode)
    yield from check_edges(graph, bound, catalog)
    if mode is Mode.STRICT:
        yield from check_exposures(graph.exposures, bound)
        yield from check_inputs_connected(graph, bound)
    yield from check_port_counts(bound)
    yield from check_extensions(bound)
    for node in bound.values():
        yield from checker.check(node.node, node.spec, node.settings)
    if mode is Mode.STRICT:
        yield from check_code_blocks(bound, is_file)
        yield from check_boundary_formats(bound, catalog)


def _placed(problem: Problem, sources: dict[str, Node]) -> Problem:
    """Of a node that a subworkflow brought: the line is another file's, so that the message names it."""
    node = sources.get(problem.node)
    if node is None:
        return problem
    return replace(problem, message=f"{problem.message.removesuffix('.')} ({node.source}, line {node.line}).", line=0)
