"""The operations of the HTTP API, one noun a file: decorators, then one to six lines.

`BLUEPRINTS` is the list that the factory registers; a new noun is a new line here.
"""

from . import tokens

BLUEPRINTS = (tokens.blp,)
