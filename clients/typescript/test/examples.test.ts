import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { promisify } from "node:util";

const examples = new URL("../../../../examples/", import.meta.url); // from dist-test/test
const answers = JSON.parse(readFileSync(new URL("answers.json", examples), "utf8")) as Record<string, string>;

test("each answer has its example", () => {
  const files = readdirSync(new URL("typescript/", examples)).filter((file) => file.endsWith(".ts"));
  assert.deepEqual(files.sort(), Object.keys(answers).map((name) => `${name}.ts`).sort());
});

for (const [name, answer] of Object.entries(answers)) {
  test(`the example ${name}`, async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [`dist-examples/${name}.js`], { timeout: 120_000 });
    assert.equal(stdout.trimEnd().split("\n").at(-1), answer);
  });
}
