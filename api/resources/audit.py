"""The audit log."""

from __future__ import annotations

from flask.views import MethodView

from ..http import Blueprint, Call
from ..models import AuditRow
from ..schemas.audit import AuditFilters, AuditHeadSchema, AuditRowSchema
from ..services import audit
from ..services.paging import Page

blp = Blueprint("audit", description="What changed, when and by whom; each row seals the last.")


@blp.route("/audit")
class Audit(MethodView):
    @blp.operation("list_audit", scope="audit:read", errors=[404])
    @blp.page(AuditRowSchema, AuditFilters)
    def get(self, call: Call) -> Page[AuditRow]:
        """List changes

        The newest first. Admins see all; organizers their tournaments, arbiters every one.
        """
        return audit.search(call.session, call.actor, **call.query)


@blp.route("/audit/head")
class AuditHeadNow(MethodView):
    @blp.operation("get_audit_head", scope="audit:read")
    @blp.response(200, AuditHeadSchema)
    def get(self, call: Call) -> audit.Head:
        """Show the head

        Whoever keeps it elsewhere can later prove that no row up to it was changed.
        """
        return audit.head(call.session)
