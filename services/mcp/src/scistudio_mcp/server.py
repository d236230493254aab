"""The MCP server: its tools, and how errors reach an agent."""

from __future__ import annotations

from typing import Any

from fastmcp import FastMCP
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
from fastmcp.tools.base import ToolResult
from pydantic import ValidationError
from scistudio_platform.errors import SciStudioError

from scistudio_mcp.errors import BadArguments
from scistudio_mcp.services import Services
from scistudio_mcp.tools import catalog, data, projects, runs, workflows

INSTRUCTIONS = (
    "SciStudio runs typed workflows of scientific blocks. Start with list_projects and list_blocks; validate a workflow before you run it; "
    "after run_workflow ask get_run_status until it has ended; look at results with get_block_output and preview_data."
)


class TypedErrors(Middleware):
    """Hand an error on as it is: text for the agent, code, subject and hint as structured content."""

    async def on_call_tool(self, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]) -> Any:
        """Call, and answer an error as a result that says so."""
        try:
            return await call_next(context)
        except SciStudioError as error:
            found: SciStudioError = error
        except Exception as error:
            cause = error if isinstance(error, ValidationError) else error.__cause__
            if isinstance(cause, ValidationError):
                found = BadArguments(str(context.message.name), cause)
            elif isinstance(cause, SciStudioError):
                found = cause
            else:
                raise
        structured = {"code": found.code, "message": found.message, "subject": found.subject, "hint": found.hint}
        return ToolResult(content=found.text, structured_content=structured, is_error=True)


def make_server(services: Services) -> FastMCP:
    """Return the server with all tools."""
    server: FastMCP = FastMCP("scistudio", instructions=INSTRUCTIONS, middleware=[TypedErrors()])
    for family in (projects, catalog, workflows, runs, data):
        family.register(server, services)
    return server
