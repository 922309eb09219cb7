// A bot for Baohuang Arena in one file, with Node alone: plays its lowest card.
//
// AGENT_SECRET=whsec_… node agent.mjs 9000        # port 0 takes a free one and prints it

import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const KEY = signingKey(process.env.AGENT_SECRET);
const MAX_BODY = 1_000_000; // bytes; a request has a few thousand
const NEEDED = ["phase", "hand", "public", "trick", "history", "legal", "fallback"];

/** The key in a secret. Undefined: nothing is checked. What is no secret ends the program. */
function signingKey(secret) {
  if (secret === undefined) {
    console.error("AGENT_SECRET is not set: this bot believes every caller.");
    return null;
  }
  const key = Buffer.from(secret.slice(6), "base64"); // reads over what is no base64
  const whole = secret === `whsec_${key.toString("base64")}`;
  if (whole && key.length >= 24 && key.length <= 64) return key;
  console.error("AGENT_SECRET is set, but is no secret of the form whsec_…; nothing is started.");
  process.exit(1);
}

/** Your bot: any one of request.legal, which is sorted, the lowest cards first. */
function choose(request) {
  if (request.legal.includes("accept")) return "accept"; // the throne: untaken, no deal is played
  if (request.phase !== "play") return request.fallback;
  return request.legal.find((play) => play !== "pass");
}

/** Status and answer. To the notices deal_end and match_end nothing is expected. */
async function respond(headers, body) {
  if (KEY && !signed(headers, body)) {
    return [401, { error: "the signature does not fit" }];
  }
  const asked = parsed(body);
  if (asked.kind === "hello" && "challenge" in asked) {
    return [200, { request: asked.request, challenge: asked.challenge }];
  }
  if (asked.kind === "decide" && NEEDED.every((name) => name in asked)) {
    return [200, { request: asked.request, answer: await choose(asked) }];
  }
  if (asked.kind === "deal_end" || asked.kind === "match_end") return [200, {}];
  return [400, { error: "not a request of bot protocol 1" }];
}

function parsed(body) {
  try {
    return JSON.parse(body) ?? {};
  } catch {
    return {};
  }
}

/** Standard Webhooks: ours and recent; one fitting signature of several is enough. */
function signed(headers, body) {
  const stamp = headers["webhook-timestamp"] ?? "";
  if (!/^\d+$/.test(stamp) || Math.abs(Date.now() / 1000 - Number(stamp)) > 300) return false;
  const text = createHmac("sha256", KEY).update(`${headers["webhook-id"]}.${stamp}.`);
  const right = Buffer.from(`v1,${text.update(body).digest("base64")}`);
  const given = (headers["webhook-signature"] ?? "").split(" ").map((each) => Buffer.from(each));
  return given.some((each) => each.length === right.length && timingSafeEqual(each, right));
}

async function answered(request, body) {
  if (request.method !== "POST") return [405, { error: "only POST" }];
  try {
    return await respond(request.headers, body);
  } catch (error) {
    console.error(error); // a mistake of yours must not end the program
    return [500, { error: "internal" }];
  }
}

const server = createServer((request, response) => {
  const parts = [];
  let size = 0;
  request.on("data", (part) => {
    size += part.length;
    if (size > MAX_BODY) request.destroy();
    else parts.push(part);
  });
  request.on("end", async () => {
    const [status, answer] = await answered(request, Buffer.concat(parts));
    const body = JSON.stringify(answer);
    response.writeHead(status, {
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(body),
    });
    response.end(body);
  });
  request.on("error", () => {}); // a caller that breaks off is nobody's loss
});

server.keepAliveTimeout = 600_000; // kept connections save a handshake a decision
server.listen(Number(process.argv[2] ?? 9000), process.env.HOST ?? "127.0.0.1", () => {
  console.log(server.address().port);
});
