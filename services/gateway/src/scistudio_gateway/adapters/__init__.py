"""The other services, as the gateway reaches them."""
