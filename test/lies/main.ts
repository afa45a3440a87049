import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allLies } from './lie.ts';
import { trial } from './trial.ts';

// The words are the names of cases: a line of JSON each. `list` prints the names of all. Called by scripts/lies.mjs.
const names = process.argv.slice(2);
const lies = allLies();
if (names[0] === 'list') process.stdout.write(`${JSON.stringify(lies.map(({ name }) => name))}\n`);
else {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-lies-'));
  let current = '';
  process.on('uncaughtException', (error) => {
    process.stderr.write(`${current}: ${error.stack}\n`);
    process.exit(1);
  });
  for (const name of names) {
    const lie = lies.find((one) => one.name === name);
    current = name;
    const outcome = await trial(lie, join(folder, 'bot.journal'), process.env.TIDEGATE_LIES_LOG === undefined ? undefined : loud());
    process.stdout.write(`${JSON.stringify(outcome)}\n`);
  }
  rmSync(folder, { recursive: true, force: true });
}

/** For a case that is looked at by itself. */
function loud() {
  const say = (message: string, fields?: object) => void process.stderr.write(`${message} ${JSON.stringify(fields ?? {})}\n`);
  return { debug: say, info: say, warn: say };
}
