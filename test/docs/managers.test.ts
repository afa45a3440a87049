import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT } from '../support/cli.ts';

interface Pm2App {
  readonly name: string;
  readonly stop_exit_codes: readonly number[];
}

const { apps } = createRequire(import.meta.url)(join(ROOT, 'ecosystem.config.cjs')) as { readonly apps: readonly Pm2App[] };

/** Exit codes after which systemd does not restart the unit. */
function finalCodes(unit: string): number[] {
  const [, codes] = /^RestartPreventExitStatus=(.*)$/m.exec(readFileSync(join(ROOT, 'docs/systemd', unit), 'utf8'))!;
  return codes!.split(' ').map(Number);
}

test.each([
  ['tidegate-paper', 'tidegate@.service'],
  ['tidegate-live', 'tidegate@.service'],
  ['tidegate-watchdog', 'tidegate-watchdog@.service'],
  ['tidegate-record', 'tidegate-record@.service'],
])('pm2 and systemd restart %s after the same exit codes', (name, unit) => {
  expect(apps.find((app) => app.name === name)!.stop_exit_codes).toEqual(finalCodes(unit));
});

test.each(['docs/how-to/deploy-with-pm2.md', 'docs/how-to/deploy-with-systemd.md'])('%s lists these exit codes', (page) => {
  const rows = readFileSync(join(ROOT, page), 'utf8').matchAll(/^\| (bot|watchdog|recorder) \| ([\d, ]+) \|/gm);
  const listed = [...rows].map(([, process, codes]) => [process, codes!.split(',').map(Number)]);
  expect(listed).toEqual([
    ['bot', finalCodes('tidegate@.service')],
    ['watchdog', finalCodes('tidegate-watchdog@.service')],
    ['recorder', finalCodes('tidegate-record@.service')],
  ]);
});
