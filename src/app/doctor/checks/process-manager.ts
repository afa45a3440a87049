import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join, resolve } from 'node:path';
import { botSection } from '../../live/planning/bot-section.ts';
import { type Check, failed, ok, skipped } from '../check.ts';
import type { Patient } from '../patient.ts';

/** An entry of pm2's file, as far as it is looked at. */
interface App {
  readonly name?: string;
  readonly args?: readonly string[] | string;
  readonly cwd?: string;
  readonly kill_timeout?: number;
  readonly wait_ready?: boolean;
}
const FILE = 'ecosystem.config.cjs';

export const processManager: Check = {
  id: 'manager',
  title: "pm2's file gives the bot its time",
  modes: ['paper', 'live'],
  needs: ['config'],
  mend: `mend ${FILE}; docs/live.md`,
  run(patient) {
    const path = join(patient.machine.cwd, FILE);
    if (!existsSync(path)) return skipped(`there is no ${FILE} here; with systemd: docs/systemd`);
    const { apps = [] } = createRequire(path)(path) as { apps?: readonly App[] };
    const own = apps.filter((app) => runs(app, patient));
    if (own.length === 0) return skipped(`no entry of ${FILE} runs \`${patient.mode} ${basename(patient.path)}\``);
    const { graceMs } = botSection(patient.loaded, patient.mode as 'live');
    for (const { name = 'an entry', kill_timeout: killMs = 1_600, wait_ready: waits } of own) {
      if (killMs <= graceMs) {
        return failed(`${name}: pm2 kills after ${killMs} ms, the bot may take ${graceMs} to stop`, 'set kill_timeout above graceMs');
      }
      if (waits !== true) return failed(`${name}: pm2 does not wait until the bot is ready`, 'set wait_ready: true');
    }
    return ok(own.map(({ name }) => name).join(', '));
  },
};

function runs({ args = [], cwd = '.' }: App, { path, mode, machine }: Patient): boolean {
  const words = typeof args === 'string' ? args.split(' ') : args;
  return words[0] === mode && words.some((word) => resolve(machine.cwd, cwd, word) === resolve(path));
}
