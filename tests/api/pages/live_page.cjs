// Runs api/static/live.js in a document without a browser: {before, after, messages} on standard
// input, what the page shows afterwards on standard output. The stream and the clock are ours.
"use strict";

const { readFileSync } = require("node:fs");
const { JSDOM } = require(process.argv[2]);

const { before, after, messages, script } = JSON.parse(readFileSync(0, "utf-8"));
const { window } = new JSDOM(before, { url: "http://arena.example/page", runScripts: "outside-only" });
const due = [];
const fetched = [];
let stream;

window.EventSource = class {
  static CLOSED = 2;
  readyState = 1;
  named = {};
  constructor(url) {
    this.url = url;
    stream = this;
  }
  addEventListener(name, listener) {
    this.named[name] = listener;
  }
};
window.setTimeout = (work) => due.push(work);
window.fetch = async (url) => {
  fetched.push(url);
  return { ok: true, text: async () => after };
};

window.eval(script);
const texts = (selector) => [...window.document.querySelectorAll(selector)].map((one) => one.textContent);
const state = () => texts("[data-state]")[0];

(async () => {
  const states = [];
  if (stream) {
    stream.onopen();
    states.push(state());
    for (const message of messages) {
      if (message.resync) stream.named.resync(message);
      else stream.onmessage({ data: JSON.stringify(message) });
    }
    await Promise.all(due.map((work) => work()));
    stream.onerror();
    states.push(state());
    stream.readyState = 2;
    stream.onerror();
    states.push(state());
  }
  process.stdout.write(
    JSON.stringify({
      stream: stream ? stream.url : null,
      lines: texts(".log li"),
      fresh: texts("[data-fresh]").join("\n"),
      scripts: window.document.querySelectorAll("main script").length,
      fetched,
      states,
    }),
  );
})();
