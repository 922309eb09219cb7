"""Event streams: how those who follow a tournament hear of it as it happens."""
