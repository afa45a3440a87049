import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { CHECKS } from '../../src/app/doctor/run-doctor.ts';
import { ROOT } from '../support/cli.ts';

test('docs/reference/doctor.md lists every check with its modes, and no other', () => {
  const page = readFileSync(join(ROOT, 'docs/reference/doctor.md'), 'utf8');
  const rows = [...page.matchAll(/^\| (`[^|]*`) \| ((?:all|backtest|paper|live)[^|]*) \|/gm)];
  const listed = rows.flatMap(([, ids, modes]) => [...ids!.matchAll(/`(\w+)`/g)].map(([, id]) => [id, modes]));
  const checks = CHECKS.map(({ id, modes = ['all'] }) => [id, modes.join(', ')]);
  expect(listed.sort()).toEqual(checks.sort());
});
