"""Twenty-five strangers in one thread: HTTP bots whose answers follow from what they are shown.

Match ids and clocks do not enter, so the same cards bring the same match in any arena.
"""

import asyncio
import json
import threading
import zlib
from collections import Counter
from contextlib import contextmanager

from aiohttp import web


def choose(number, question):
    """A fixed choice among what is legal, different for each bot."""
    shown = [number, *(question[name] for name in ("seat", "deal", "turn", "hand", "legal"))]
    legal = question["legal"]
    return legal[zlib.crc32(json.dumps(shown).encode()) % len(legal)]


PLACE = ("match", "tournament", "round", "table")


class Bots:
    """`asked` counts the questions by match and request; each takes `think_s` to answer.

    `places` is where their matches belong, `sent` all of them, `notices` what they were told.
    """

    def __init__(self, think_s=0.0):
        self.think_s = think_s
        self.asked = Counter()
        self.places = set()
        self.sent = []
        self.notices = []
        self.port = 0

    def url(self, number):
        return f"http://127.0.0.1:{self.port}/{number}"

    def times_asked(self, match):
        """How often each question of a match was asked, in the order of the match."""
        return [count for (of, _), count in self.asked.items() if of == match]

    async def answer(self, request):
        question = await request.json()
        if question["kind"] == "hello":
            echo = {"request": question["request"], "challenge": question["challenge"]}
            return web.json_response(echo)
        if question["kind"] != "decide":
            self.notices.append(question)
            return web.Response(status=204)
        self.asked[question["match"], question["request"]] += 1
        self.sent.append(question)
        self.places.add(tuple(question[name] for name in PLACE))
        await asyncio.sleep(self.think_s)
        answer = choose(int(request.match_info["number"]), question)
        return web.json_response({"request": question["request"], "answer": answer})

    async def serve(self, started, stop):
        app = web.Application()
        app.router.add_post("/{number}", self.answer)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self.port = runner.addresses[0][1]
        started()
        await stop.wait()
        await runner.cleanup()


@contextmanager
def running_bots(think_s=0.0):
    """Bots on a thread of their own for as long as the context lasts."""
    bots, loop, stop = Bots(think_s), asyncio.new_event_loop(), asyncio.Event()
    started = threading.Event()
    thread = threading.Thread(target=loop.run_until_complete, args=[bots.serve(started.set, stop)])
    thread.start()
    try:
        assert started.wait(20)
        yield bots
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()
