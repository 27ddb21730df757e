#!/usr/bin/env python3
"""A complete bot for Holdfast, with nothing but Python's standard library (3.9 or newer).

    holdfast bots create bot-001                      # prints a token
    HOLDFAST_TOKEN=hf_... python3 price_bot.py --bot-id bot-001

It pulls visits, fetches their pages, reads the price from JSON-LD, and submits it. Ctrl-C lets it finish what it holds; a
second one does not. HOLDFAST_BOT_ID and HOLDFAST_URL say the same as --bot-id and --url.
"""

import argparse
import http.client
import json
import os
import random
import signal
import sys
import threading
import urllib.error
import urllib.request
import uuid
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser

MAX_PAGE_BYTES = 5_000_000


class ApiError(Exception):
    """An answer {"success": false, "error": ..., "detail": ...}; `retry` says whether waiting helps."""

    def __init__(self, status, error, detail, retry_after):
        super().__init__(f"{error}: {detail}")
        self.status, self.error, self.retry_after = status, error, retry_after
        self.retry = status == 429 or status >= 500


class NoAnswer(Exception):
    """No connection, one that broke, or an answer that is not Holdfast's."""

    retry = True


class Holdfast:
    """The calls of the bot API. A call that is lost on the way is repeated: the server answers as it did the first time."""

    def __init__(self, url, token, bot_id, stopping):
        self.url, self.token, self.bot_id = url.rstrip("/"), token, bot_id
        self.stopping = stopping

    def pull(self, max_jobs):
        # One key for all attempts of this pull: a lost answer gives the same jobs again instead of losing them until
        # their locks expire.
        return self._call("pull", {"max_jobs": max_jobs, "idempotency_key": str(uuid.uuid4())})

    def submit(self, job, outcome):
        return self._call("submit", {**_held(job), **outcome})

    def heartbeat(self, job):
        return self._call("heartbeat", _held(job), attempts=1)

    def _call(self, name, body, attempts=8):
        data = json.dumps({"bot_id": self.bot_id, **body}).encode()
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        attempt = 0
        while True:
            attempt += 1
            try:
                request = urllib.request.Request(f"{self.url}/api/crawl/{name}/", data, headers, method="POST")
                with urllib.request.urlopen(request, timeout=30) as answer:
                    return json.load(answer)["data"]
            except urllib.error.HTTPError as refused:
                error = _api_error(refused)
                pause = error.retry_after
            except (http.client.InvalidURL, ValueError, KeyError, TypeError) as odd:
                raise NoAnswer(f"check the URL and the token ({odd})") from None
            except (OSError, http.client.HTTPException) as lost:
                error, pause = NoAnswer(f"no answer ({getattr(lost, 'reason', lost)})"), None
            if attempt >= attempts or not error.retry:
                raise error
            pause = pause or min(30, 0.5 * 2**attempt) * random.uniform(0.5, 1)
            print(f"{name}: {error}; again in {pause:.1f} s", file=sys.stderr, flush=True)
            if self.stopping.wait(pause):
                # Nothing new is asked for; what is done gets one more chance, at once.
                if name == "pull":
                    raise error
                attempts = attempt + 1


def _held(job):
    return {"job_id": job["job_id"], "lease_token": job["lease_token"]}


def _api_error(refused):
    try:
        body = json.load(refused)
    except ValueError:
        body = {}
    try:
        retry_after = float(refused.headers.get("Retry-After", ""))
    except ValueError:
        retry_after = None
    return ApiError(refused.code, body.get("error", "unknown"), body.get("detail", refused.reason), retry_after)


class Heartbeat:
    """Keeps the lock while the work goes on, and says when it is of no use any more."""

    def __init__(self, api, job, every):
        self.api, self.job, self.every = api, job, every
        self.reason_to_stop = None
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._done.set()
        self._thread.join()

    def _beat(self):
        while not self._done.wait(self.every):
            try:
                action = self.api.heartbeat(self.job)["action"]
                if action != "continue":
                    self.reason_to_stop = f"asked to {action}"
            except ApiError as error:
                if not error.retry:
                    self.reason_to_stop = str(error)
            except NoAnswer:
                pass  # The lock lasts a while; the next beat may get through.


class JsonLd(HTMLParser):
    """The texts of <script type="application/ld+json">."""

    def __init__(self):
        super().__init__()
        self.texts, self._inside = [], False

    def handle_starttag(self, tag, attrs):
        self._inside = tag == "script" and dict(attrs).get("type", "").lower() == "application/ld+json"
        if self._inside:
            self.texts.append("")

    def handle_endtag(self, tag):
        self._inside = False

    def handle_data(self, data):
        if self._inside:
            self.texts[-1] += data


def find_product(html):
    """The first Product with an offer. Numbers stay text: a price must not pass through a float."""
    reader = JsonLd()
    reader.feed(html)
    for text in reader.texts:
        try:
            nodes = [json.loads(text, parse_float=str, parse_int=str)]
        except ValueError:
            continue
        while nodes:
            node = nodes.pop(0)
            if isinstance(node, list):
                nodes.extend(node)
            elif isinstance(node, dict):
                offers = node.get("offers")
                offer = offers[0] if isinstance(offers, list) and offers else offers
                if "Product" in str(node.get("@type")) and isinstance(offer, dict) and "price" in offer:
                    return node, offer
                nodes.extend(node.values())
    return None


def visit(job):
    request = urllib.request.Request(job["url"], headers={"User-Agent": "holdfast-example-bot/1.0"})
    with urllib.request.urlopen(request, timeout=min(30, job["timeout_seconds"] or 30)) as page:
        charset = page.headers.get_content_charset() or "utf-8"
        html = page.read(MAX_PAGE_BYTES).decode(charset, "replace")
    found = find_product(html)
    if found is None:
        raise ValueError("the page shows no product with a price")
    product, offer = found
    return {
        "success": True,
        "price": offer["price"],
        "currency": offer.get("priceCurrency", ""),
        "title": str(product.get("name", ""))[:1000],
        "in_stock": str(offer.get("availability", "")).endswith("InStock"),
        "parsed_data": {"sku": product.get("sku"), "availability": offer.get("availability")},
    }


def work_on(api, job, heartbeat_seconds):
    with Heartbeat(api, job, heartbeat_seconds) as heartbeat:
        try:
            outcome = visit(job)
        except Exception as error:  # Whatever went wrong, the job should hear of it.
            outcome = {"success": False, "error_msg": f"{type(error).__name__}: {error}"}
    if heartbeat.reason_to_stop and outcome["success"] is False:
        outcome["error_msg"] = heartbeat.reason_to_stop
    try:
        answer = api.submit(job, outcome)
        print(f"{answer['status']}  {job['url']}  {outcome.get('price', outcome.get('error_msg'))}", flush=True)
    except (ApiError, NoAnswer) as error:
        # lock_expired, not_assigned, job_not_locked: the job is somebody else's now. Without an answer it will be.
        print(f"dropped  {job['url']}  {error}", file=sys.stderr, flush=True)


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    options.add_argument("--url", default=os.environ.get("HOLDFAST_URL", "http://127.0.0.1:7070"))
    options.add_argument("--bot-id", default=os.environ.get("HOLDFAST_BOT_ID", "bot-001"))
    options.add_argument("--concurrency", type=int, default=4)
    options.add_argument("--heartbeat-seconds", type=float, default=60)
    options.add_argument("--until-empty", action="store_true", help="end when there is nothing left to do")
    given = options.parse_args()
    token = os.environ.get("HOLDFAST_TOKEN")
    if not token:
        options.exit(2, "Set HOLDFAST_TOKEN to what `holdfast bots create` printed.\n")

    stopping = threading.Event()

    def stop(number, _frame):
        stopping.set()
        signal.signal(number, signal.SIG_DFL)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    try:
        run(Holdfast(given.url, token, given.bot_id, stopping), given, stopping)
    except (ApiError, NoAnswer) as error:
        # A token that is not valid or of another bot, or an API that stayed away.
        if not stopping.is_set():
            sys.exit(f"{given.bot_id} at {given.url}: {error}")


def run(api, given, stopping):
    idle = 0.5
    with ThreadPoolExecutor(given.concurrency) as pool:
        while not stopping.is_set():
            pulled = api.pull(given.concurrency)
            if pulled["jobs"]:
                idle = 0.5
                list(pool.map(lambda job: work_on(api, job, given.heartbeat_seconds), pulled["jobs"]))
            elif given.until_empty and pulled["skipped"] == 0:
                return
            else:
                stopping.wait(idle)
                idle = min(15, idle * 2)


if __name__ == "__main__":
    main()
