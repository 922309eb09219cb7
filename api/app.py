"""The factory: settings, database and vault in, a Flask application out."""

from __future__ import annotations

from flask import Flask
from werkzeug.middleware.proxy_fix import ProxyFix

from . import auth, limits, pages
from .arena import Arena
from .config import Config
from .extensions import rest
from .http import converters, deprecation, headers, problems
from .http.known import Known
from .resources import BLUEPRINTS, health

PREFIX = "/api/v1"


def create_app(config: Config | None = None) -> Flask:
    """An application of its own for one configuration (by default the environment's)."""
    config = config or Config.from_env()
    app = Flask(__name__.rpartition(".")[0])
    app.url_map.merge_slashes = False
    app.extensions["baohuang"] = Arena.of(config)
    converters.register(app, rest)
    rest.init_app(app)
    for blueprint in BLUEPRINTS:
        rest.register_blueprint(blueprint, url_prefix=PREFIX)
    app.register_blueprint(health.blp)
    pages.register(app)
    for part in (problems, headers, deprecation, auth, limits, health.requests):
        part.register(app)
    known = Known(app, BLUEPRINTS, PREFIX, health.requests)
    app.wsgi_app = known  # type: ignore[method-assign]
    if config.proxy_hops:
        hops = config.proxy_hops
        app.wsgi_app = ProxyFix(app.wsgi_app, hops, hops, hops, hops)  # type: ignore[method-assign]
    return app
