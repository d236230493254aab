"""The only door: REST, WebSocket, static page, authentication and /mcp."""
