"""The web application and its database: tournaments, agents, matches, standings over HTTP."""
