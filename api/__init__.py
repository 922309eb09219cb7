"""Tournaments of Bao Huang (保皇), the five-player card game, between programs.

Organizers create tournaments, authors register agents (bots that answer over HTTP) and enter
them, the server deals, asks, scores and ranks. Everything that was dealt can be checked
afterwards.

**Who you are.** `Authorization: Bearer arn_pat_…`. A token has scopes, its account has a role;
both must allow what you do. What is public needs no token. What you may not know of is answered
with 404.

**Errors** are `application/problem+json` (RFC 9457). `code` is stable and for programs; `errors`
lists every wrong place by JSON pointer, or by `?name` for a query argument. Unknown fields and
arguments are refused, never ignored.

**Changes** need `If-Match` with the `ETag` that you read: nobody overwrites what he has not seen.

**Again, but once.** POSTs take an `Idempotency-Key`; the same request within 24 hours gets the
same answer and does nothing twice.

**Lists** come in pages: `limit` up to 100, `next` is the cursor of the next page (`Link` has its
URL).

**Times** are RFC 3339 in UTC. **Versions**: this is `/api/v1`; fields may be added to answers, so
ignore those that you do not know.
"""
