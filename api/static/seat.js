// A person's seat: fetches the questions of a pull agent, shows them, sends what was clicked.
"use strict";

const ROOM = document.querySelector("[data-sit]");
const SHOWN = 60; // answers without being asked for
const KEPT = 300; // lines
const AGAIN_MS = 3000;
const ASKS = {
  throne: "The throne (皇位) is offered to you",
  grab: "You may grab the throne for an open solo (抢独)",
  call: "You are the emperor (皇帝): name your guard's card, or play alone",
  declare: "You may declare yourself",
  kick: "You may double once more (踢)",
};
const ROLES = { emperor: "emperor 皇帝", guard: "guard 侍卫", rebel: "rebel 革命党" };
// What players call an answer; "open" depends on who says it.
const TERMS = {
  accept: "登基", yield: "让位", abdicate: "弃皇", hidden: "暗独", call: "叫", rebel: "造反", kick: "踢", pass: "不出",
};
const SUITS = { C: "♣", D: "♦", H: "♥", S: "♠" };

const part = (name) => ROOM.querySelector(`[data-${name}]`);
const say = (text) => (part("state").textContent = text);
const later = (ms) => new Promise((done) => setTimeout(done, ms));

let heard = { deal: "", entries: 0 };
let skew = 0; // by how much the server's clock is ahead of ours, in ms

function send(door, fields) {
  return fetch(`${ROOM.dataset.sit}/${door}`, {
    method: "POST",
    credentials: "same-origin",
    headers: { "X-Form-Key": ROOM.dataset.key },
    body: new URLSearchParams(fields),
  });
}

function note(text) {
  const line = document.createElement("li");
  line.textContent = text;
  part("log").prepend(line);
  while (part("log").childElementCount > KEPT) part("log").lastElementChild.remove();
}

function element(kind, text, className) {
  const made = document.createElement(kind);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

function role(question, seat) {
  const { emperor, guard, rebels } = question.public;
  if (seat === question.seat) return ROLES[question.role] ?? "";
  if (seat === emperor) return ROLES.emperor;
  if (seat === guard) return ROLES.guard;
  return rebels.includes(seat) ? ROLES.rebel : "";
}

// Cards with their suits as signs: 9C is 9♣.
const face = (text) => text.replace(/\b([3-9TJQKA2])([CDHS])\b/g, (_, rank, suit) => rank + SUITS[suit]);

function term(question, answer) {
  const word = answer.split(" ")[0];
  if (word !== "open") return TERMS[word] ?? "";
  if (question.phase === "grab") return "抢独";
  return question.role === "guard" ? "明保" : "明独";
}

function row(question, seat) {
  const { hand_sizes: sizes, places, scores } = question.public;
  const trick = question.trick ?? { passed: [] };
  const did = trick.passed.includes(seat) ? "passed" : trick.by === seat ? (trick.to_beat ?? "") : "";
  const cells = [
    seat === question.seat ? `${seat} (you)` : `${seat}`,
    role(question, seat),
    places[seat] ? `out, place ${places[seat]}` : `${sizes[seat]}`,
    `${scores[seat]}`,
    did,
  ];
  const made = document.createElement("tr");
  made.append(...cells.map((text) => element("td", text)));
  made.children[3].className = "number";
  return made;
}

function groups(hand) {
  const byRank = new Map();
  for (const card of hand.split(" ").filter(Boolean)) {
    byRank.set(card[0], [...(byRank.get(card[0]) ?? []), card]);
  }
  return [...byRank.values()].map((cards) => {
    const group = element("span", "");
    for (const card of cards) group.append(element("span", face(card), /[DH]$/.test(card) ? "red" : ""), " ");
    return group;
  });
}

function asked(question) {
  if (question.phase !== "play") return ASKS[question.phase] ?? question.phase;
  return question.trick?.to_beat ? `To beat: ${question.trick.to_beat}` : "You lead";
}

function hear(question) {
  const deal = `${question.match}/${question.deal}`;
  if (heard.deal !== deal) heard = { deal, entries: 0 };
  if (heard.entries > question.history.length) heard.entries = 0; // dealt anew
  const news = question.history.slice(heard.entries);
  heard.entries = question.history.length;
  if (news.length) note(news.map(([seat, answer]) => `${seat}: ${face(answer)}`).join(", "));
}

function show(question) {
  hear(question);
  part("asked").textContent = asked(question);
  part("deal").textContent = `Deal ${question.deal} of ${question.deals}`
    + (question.public.called ? `, called ${face(question.public.called)}` : "")
    + (question.public.factor > 1 ? `, scores count ${question.public.factor} times` : "");
  part("seats").replaceChildren(...[0, 1, 2, 3, 4].map((seat) => row(question, seat)));
  part("hand").replaceChildren(...groups(question.hand));
  part("filter").value = "";
  part("question").hidden = false;
}

// The buttons; resolves with what was chosen.
function choice(question) {
  return new Promise((chosen) => {
    const list = () => {
      const wanted = part("filter").value.trim();
      const found = question.legal.filter((answer) => `${answer} ${face(answer)}`.includes(wanted));
      const buttons = found.slice(0, SHOWN).map((answer) => {
        const button = element("button", face(answer), answer === question.fallback ? "fallback" : "");
        const chinese = term(question, answer);
        if (chinese) button.append(" ", element("span", chinese, ""));
        if (chinese) button.lastChild.lang = "zh";
        button.type = "button";
        button.addEventListener("click", () => chosen(answer));
        return button;
      });
      const rest = found.length - buttons.length;
      if (rest > 0) buttons.push(element("span", `and ${rest} more: write a part of it above`));
      part("answers").replaceChildren(...buttons);
    };
    part("filter").oninput = list;
    list();
  });
}

// Seconds in words: 75 are 1 min 15 s.
const span = (seconds) => (seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`);

// Counts down to the end of budget and bank; resolves then.
function timeUp(question, run) {
  const end = Date.parse(question.clock.deadline) + question.clock.bank_ms - skew;
  return new Promise((over) => {
    const tick = () => {
      if (!run.on) return;
      const left = Math.ceil((end - Date.now()) / 1000);
      part("clock").textContent = `${span(Math.max(0, left))}, then ${face(question.fallback)} is played for you`;
      if (left <= 0) over(null);
      else setTimeout(tick, 250);
    };
    tick();
  });
}

async function decide(question) {
  const run = { on: true };
  show(question);
  say("It is your turn.");
  part("asked").focus();
  const answer = await Promise.race([choice(question), timeUp(question, run)]);
  run.on = false;
  part("question").hidden = true;
  if (answer === null) {
    say(`Time is up; ${face(question.fallback)} was played for you.`);
    return;
  }
  const taken = await send("answers", { request: question.request, answer });
  if (taken.ok) say(`You answered ${face(answer)}.`);
  else if (taken.status === 404 || taken.status === 409) say("Too late; the answer was played for you.");
  else throw new Error(`the server answered ${taken.status}`);
}

const each = (values) => values.map((value, seat) => `${seat}: ${value}`).join(", ");

async function turn() {
  const answer = await send("next", {});
  if (answer.status === 204) return;
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  const sent = Date.parse(answer.headers.get("Date") ?? "");
  skew = Number.isNaN(sent) ? 0 : sent - Date.now();
  const question = await answer.json();
  if (question.kind === "decide") await decide(question);
  else if (question.kind === "deal_end") note(`Deal ${question.deal} is over. ${each(question.scores)}`);
  else if (question.kind === "match_end") note(`The match is over. ${each(question.totals)}`);
  if (question.kind !== "decide") say("Waiting for your turn …");
}

async function sit() {
  say("Waiting for your turn …");
  for (;;) {
    try {
      await turn();
    } catch (error) {
      say(`${error.message}. Trying again …`);
      await later(AGAIN_MS);
    }
  }
}

if (ROOM) sit();
