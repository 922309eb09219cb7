// Runs api/static/seat.js in a document without a browser: {page, script, steps} on standard input.
// Each step answers one request of the script, {status, body}, and may name the button to press
// afterwards ({press}), let the clock run out ({late}) or stop until the next one ({hold}). What was shown and sent comes out.
"use strict";

const { readFileSync } = require("node:fs");
const { JSDOM } = require(process.argv[2]);

const { page, script, steps } = JSON.parse(readFileSync(0, "utf-8"));
const { window } = new JSDOM(page, { url: "http://arena.example/seat", runScripts: "outside-only" });
const sent = [];
const seen = [];
let due = [];
let now = Date.parse("2026-01-01T00:00:00.000Z");

window.Date.now = () => now;
window.setTimeout = (work) => due.push(work);
const shown = (selector) => [...window.document.querySelectorAll(selector)].map((one) => one.textContent);
const settle = () => new Promise((done) => setImmediate(done));

function look() {
  return {
    state: shown("[data-state]")[0],
    asked: shown("[data-asked]")[0],
    hidden: window.document.querySelector("[data-question]").hidden,
    clock: shown("[data-clock]")[0],
    clocks: [], // what it was set to until the next step
    seats: shown("[data-seats] tr"),
    hand: shown("[data-hand] > span"),
    red: shown("[data-hand] .red"),
    buttons: [...window.document.querySelectorAll("[data-answers] button")].map(
      (button) => button.firstChild.textContent,
    ),
    terms: shown("[data-answers] [lang=zh]"),
    more: shown("[data-answers] > span"),
    log: shown("[data-log] li"),
    scripts: window.document.querySelectorAll("main script").length,
  };
}

let waiting = null;
window.fetch = (url, options) => {
  sent.push({ url, key: options.headers["X-Form-Key"], body: options.body.toString() });
  return new Promise((answer) => (waiting = answer));
};

window.eval(script);

(async () => {
  for (const step of steps) {
    await settle();
    const answer = waiting;
    waiting = null;
    answer({
      status: step.status,
      ok: step.status >= 200 && step.status < 300,
      headers: { get: () => "Thu, 01 Jan 2026 00:00:00 GMT" },
      json: async () => step.body,
    });
    await settle();
    if (step.filter !== undefined) {
      const filter = window.document.querySelector("[data-filter]");
      filter.value = step.filter;
      filter.oninput();
    }
    seen.push(look());
    if (step.press !== undefined) {
      const buttons = [...window.document.querySelectorAll("[data-answers] button")];
      buttons.find((button) => button.firstChild.textContent === step.press).click();
    }
    if (step.late) now += step.late;
    if (step.hold) continue;
    const work = due;
    due = [];
    for (const each of work) {
      each();
      seen.at(-1).clocks.push(shown("[data-clock]")[0]);
    }
  }
  await settle();
  seen.push(look());
  process.stdout.write(JSON.stringify({ seen, sent }), () => process.exit(0));
})();
