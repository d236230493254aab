"""``python -m scistudio_gateway.openapi``: print the API's description, from which the page's client is generated. Starts nothing."""

from __future__ import annotations

import json
import sys

from scistudio_gateway.rest.router import make_api


def openapi_json() -> str:
    """Return the OpenAPI document as JSON; the same routes give the same text."""
    return json.dumps(make_api().openapi(), indent=2, ensure_ascii=False, sort_keys=True) + "\n"


if __name__ == "__main__":
    sys.stdout.write(openapi_json())
