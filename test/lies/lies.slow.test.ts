import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { ROOT } from '../support/cli.ts';
import { replyFields } from './fields.ts';
import { allLies } from './lie.ts';

const CASES = 60;

const run = (...words: string[]) =>
  promisify(execFile)(process.execPath, [join(ROOT, 'scripts/lies.mjs'), ...words]).catch(
    (failed: { stdout: string; stderr: string }) => failed,
  );

// By the command that runs all of them: outside jest's sandbox a case takes a third of the time.
test(`no field of a reply that lies for 10 s makes the bot end, trade on its own or stay wrong: ${CASES} of the cases`, async () => {
  const { stdout } = await run('--cases', String(CASES));
  expect(stdout).toMatch(new RegExp(`^${CASES} of ${allLies().length} cases, 0 wrong: `, 'm'));
});

test('a case is one by its name', async () => {
  const { stdout } = await run('--case', 'futuresAccount.position.size:negative');
  expect(stdout).toMatch(/^1 of \d+ cases, 0 wrong: 1 agree/m);
  expect(await run('--case', 'futuresAccount.position.weight:negative')).toMatchObject({
    stderr: 'there is no case futuresAccount.position.weight:negative\n',
  });
});

test('each field of a reply says what it is, and each case has a name of its own', () => {
  const names = allLies().map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  const kinds = new Map(replyFields().map(({ operation, path, kind, signed }) => [[operation, ...path].join('.'), [kind, signed]]));
  expect(kinds.get('accountAssets.*.available')).toEqual(['money', false]);
  expect(kinds.get('futuresAccount.collateral.*.amount')).toEqual(['money', true]);
  expect(kinds.get('fills.fillsOrderResultList.*.side')).toEqual(['word', false]);
  expect(kinds.get('futuresHistory.*.order_id')).toEqual(['id', false]);
});
