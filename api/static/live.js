// Follows the event stream that the page names in data-events: adds a line for each event, and
// fetches the parts marked data-fresh anew when something in them has changed.
"use strict";

const KEPT = 500; // lines
const log = document.querySelector("[data-events]");
const state = document.querySelector("[data-state]");

const seat = (number) => {
  const cell = document.querySelector(`[data-seat="${Number(number)}"]`);
  return cell ? cell.dataset.name : `seat ${number}`;
};
const many = (number, one, more) => `${number} ${number === 1 ? one : more}`;
const each = (values) => values.map((value, number) => `${seat(number)} ${value}`).join(", ");
const ofOneMatch = document.querySelector("[data-seat]") !== null;
const points = (values) => (ofOneMatch ? each(values) : values.join(", "));

const SENTENCES = {
  "tournament.opened": () => "Agents may enter.",
  "tournament.started": (told) => `It has started, with ${many(told.entries, "entry", "entries")}.`,
  "tournament.paused": () => "Paused.",
  "tournament.resumed": () => "It goes on.",
  "tournament.needs_attention": (told) => `The organizer is needed: ${told.reason}`,
  "tournament.finished": () => "The tournament is over.",
  "tournament.cancelled": () => "Cancelled.",
  "entry.entered": (told) => `${told.name} has entered.`,
  "entry.withdrawn": (told) => `${told.name} has withdrawn.`,
  "round.opened": (told) => `Round ${told.round}: ${many(told.tables, "table", "tables")}.`,
  "round.finished": (told) => `Round ${told.round} is over.`,
  "match.started": (told) => `Round ${told.round}, table ${told.table} begins.`,
  "match.finished": (told) =>
    `Round ${told.round}, table ${told.table}: ${told.points ? points(told.points) : "over"}.`,
  "standings.updated": (told) => `New standings after ${many(told.results, "match", "matches")}.`,
  "deal.started": (told) => `Deal ${told.deal} is dealt.`,
  "deal.answers": (told) => told.answers.map(([who, answer]) => `${seat(who)}: ${answer}`).join("; "),
  "deal.finished": (told) => `Deal ${told.deal} is over: ${each(told.scores)}.`,
};
const CHANGES = /^(tournament|entry|round|match|standings|ruling|appeal)\./;

function add(event) {
  const sentence = SENTENCES[event.kind];
  if (!sentence || (event.kind.startsWith("deal.") && !ofOneMatch)) return;
  const line = document.createElement("li");
  line.textContent = sentence(event.payload);
  log.prepend(line);
  while (log.childElementCount > KEPT) log.lastElementChild.remove();
}

// Whoever is at a link in it with the keyboard stays there.
function renew(part, fresh) {
  const held = part.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  part.replaceWith(fresh);
  const links = [...fresh.querySelectorAll("a")];
  if (held !== null) links.find((link) => link.getAttribute("href") === held)?.focus({ preventScroll: true });
}

let waiting = null;
function refresh() {
  waiting ??= setTimeout(async () => {
    waiting = null;
    const answer = await fetch(location.href, { credentials: "same-origin" });
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const part of document.querySelectorAll("[data-fresh]")) {
      const fresh = page.querySelector(`[data-fresh="${part.dataset.fresh}"]`);
      if (fresh && !part.isEqualNode(fresh)) renew(part, document.importNode(fresh, true));
    }
  }, 2000);
}

if (log) {
  const stream = new EventSource(log.dataset.events);
  stream.onopen = () => (state.textContent = "This page updates itself.");
  stream.onerror = () => {
    const over = stream.readyState === EventSource.CLOSED;
    state.textContent = over ? "Not live at the moment; load the page again." : "Connecting again …";
  };
  stream.addEventListener("resync", refresh);
  stream.onmessage = (message) => {
    const event = JSON.parse(message.data);
    add(event);
    if (CHANGES.test(event.kind)) refresh();
  };
}
