import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { EXIT_CODES } from '../../src/app/base/exit-codes.ts';
import { ERROR_CODES, type ErrorCode } from '../../src/model/errors.ts';
import { ROOT } from '../support/cli.ts';

const INCIDENTS = readFileSync(join(ROOT, 'docs/how-to/recover-from-an-incident.md'), 'utf8');

test('the page of incidents gives every error code the exit code of the program', () => {
  const rows = [...INCIDENTS.matchAll(/^\| (\d+) \| `(\w+)` \|/gm)].map(([, exit, code]) => [code, Number(exit)]);
  expect(rows.length).toBeGreaterThanOrEqual(8);
  expect(rows).toEqual(rows.map(([code]) => [code, EXIT_CODES[ERROR_CODES[code as ErrorCode]]]));
});

test('every incident has its symptom and its remedy', () => {
  const incidents = INCIDENTS.split(/^### /m).slice(1);
  expect(incidents.length).toBeGreaterThan(20);
  const without = incidents.filter((text) => !/\*\*You\*\*:/.test(text) || !/\*\*Symptom\*\*:|^\| what /m.test(text));
  expect(without.map((text) => text.split('\n')[0])).toEqual([]);
});
