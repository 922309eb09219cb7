"""A caller's own webhooks, and what was sent to them."""

from __future__ import annotations

from typing import Any

from flask.views import MethodView

from ..http import Blueprint, Call
from ..models import Webhook
from ..schemas.agents import SecretRotate
from ..schemas.webhooks import (
    DeliveryFilters,
    DeliverySchema,
    WebhookCreate,
    WebhookCreated,
    WebhookFilters,
    WebhookSchema,
    WebhookUpdate,
)
from ..services import delivery_log, webhooks
from ..services.paging import Page
from ..services.rows import columns
from .agents import admit_url

blp = Blueprint("webhooks", description="Calls to you when something happens in your tournaments.")


@blp.route("/webhooks")
class Webhooks(MethodView):
    @blp.operation("list_webhooks", scope="webhooks:read")
    @blp.page(WebhookSchema, WebhookFilters)
    def get(self, call: Call) -> Page[Webhook]:
        """List your webhooks

        Oldest first, paused ones included.
        """
        return webhooks.search(call.session, call.actor, **call.query)

    @blp.operation("create_webhook", scope="webhooks:write", before=admit_url)
    @blp.arguments(WebhookCreate)
    @blp.response(201, WebhookCreated)
    def post(self, call: Call) -> dict[str, Any]:
        """Register a webhook

        It hears of what happens in your tournaments from now on. Its URL must lead to the public
        internet; a refusal names the rule. The signing secret is in this answer only.
        """
        return _with_secret(
            *webhooks.create(call.session, call.arena.vault, call.actor, **call.body)
        )


@blp.route("/webhooks/<ulid:webhook_id>")
class WebhookById(MethodView):
    @blp.operation("get_webhook", scope="webhooks:read")
    @blp.response(200, WebhookSchema)
    def get(self, call: Call, webhook_id: str) -> Webhook:
        """Show a webhook

        One of your own; those of others are answered with 404.
        """
        return webhooks.find(call.session, call.actor, webhook_id)

    @blp.operation("update_webhook", scope="webhooks:write", before=admit_url)
    @blp.arguments(WebhookUpdate)
    @blp.response(200, WebhookSchema)
    def patch(self, call: Call, webhook_id: str) -> Webhook:
        """Change a webhook

        Its name, its URL, the kinds of events.
        """
        return webhooks.update(call.session, call.actor, webhook_id, call.version, **call.body)

    @blp.operation("delete_webhook", scope="webhooks:write")
    @blp.response(204)
    def delete(self, call: Call, webhook_id: str) -> None:
        """Delete a webhook

        With all that is known of its deliveries.
        """
        webhooks.delete(call.session, call.actor, webhook_id, call.version)


@blp.route("/webhooks/<ulid:webhook_id>/pause")
class WebhookPause(MethodView):
    @blp.operation("pause_webhook", scope="webhooks:write")
    @blp.response(200, WebhookSchema)
    def post(self, call: Call, webhook_id: str) -> Webhook:
        """Pause a webhook

        Nothing is sent until it is resumed.
        """
        return webhooks.pause(call.session, call.actor, webhook_id)


@blp.route("/webhooks/<ulid:webhook_id>/resume")
class WebhookResumption(MethodView):
    @blp.operation("resume_webhook", scope="webhooks:write")
    @blp.response(200, WebhookSchema)
    def post(self, call: Call, webhook_id: str) -> Webhook:
        """Resume a webhook

        What was waiting is sent, and what happens from now on. What happened meanwhile is not; the
        list of events has it.
        """
        return webhooks.resume(call.session, call.actor, webhook_id)


@blp.route("/webhooks/<ulid:webhook_id>/rotate-secret")
class WebhookRotateSecret(MethodView):
    @blp.operation("rotate_webhook_secret", scope="webhooks:write")
    @blp.arguments(SecretRotate, required=False)
    @blp.response(200, WebhookCreated)
    def post(self, call: Call, webhook_id: str) -> dict[str, Any]:
        """Give a webhook a new signing secret

        Calls carry signatures of both secrets for `grace_s` seconds (a day by default; 0 after a
        leak). The new secret is in this answer only.
        """
        return _with_secret(
            *webhooks.rotate_secret(
                call.session, call.arena.vault, call.actor, webhook_id, **call.body
            )
        )


@blp.route("/webhooks/<ulid:webhook_id>/deliveries")
class Deliveries(MethodView):
    @blp.operation("list_deliveries", scope="webhooks:read")
    @blp.page(DeliverySchema, DeliveryFilters)
    def get(self, call: Call, webhook_id: str) -> Page[dict[str, Any]]:
        """List what was sent to a webhook

        The newest first, each with its last attempt.
        """
        return delivery_log.search(call.session, call.actor, webhook_id, **call.query)


@blp.route("/webhooks/<ulid:webhook_id>/deliveries/<ulid:delivery_id>/redeliver")
class Redelivery(MethodView):
    @blp.operation("redeliver_event", scope="webhooks:write")
    @blp.response(200, DeliverySchema)
    def post(self, call: Call, webhook_id: str, delivery_id: str) -> dict[str, Any]:
        """Send an event again

        At once, with the same `webhook-id`, whatever came of it before; and for another day if it
        fails.
        """
        return delivery_log.send_again(call.session, call.actor, webhook_id, delivery_id)


def _with_secret(hook: Webhook, secret: str) -> dict[str, Any]:
    return {**columns(hook), "secret": secret}
