// Signs and verifies with the npm package `standardwebhooks`: one question a line, one answer a line.

const path = require("node:path");
const readline = require("node:readline");

const folder = path.join(__dirname, "../../../.ci/webhooks/node_modules/standardwebhooks");
const { Webhook, WebhookVerificationError } = require(folder);

function answer({ secret, sign, verify }) {
  const webhook = new Webhook(secret);
  if (sign) return webhook.sign(sign.id, new Date(sign.timestamp * 1000), sign.body);
  try {
    webhook.verify(verify.body, verify.headers);
    return true;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return false;
    throw error;
  }
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  console.log(JSON.stringify(answer(JSON.parse(line))));
});
