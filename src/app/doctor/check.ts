import { readFileSync, realpathSync, statfsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { ExchangeClient } from '../../exchange/client/exchange-client.ts';
import { invariant } from '../../model/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Access } from '../access/access-settings.ts';
import { type LoadedConfig, loadConfig } from '../config/load-config.ts';
import { type BotFolder, botFolder } from '../planning/bot-folder.ts';
import { plannedInstruments } from '../planning/planned-account.ts';

/** The commands for which a config can be checked. */
export type DoctorMode = 'backtest' | 'paper' | 'live';

/** The result of one check. */
export interface Outcome {
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped';
  /** The finding, or why the check was skipped. */
  readonly found: string;
  /** How to fix it. */
  readonly mend?: string | undefined;
}

/** One check of a config and its environment, before a run or during it. */
export interface Check {
  readonly id: string;
  /** The condition that is checked, in a few words. */
  readonly title: string;
  /** The modes that it applies to; default: all. */
  readonly modes?: readonly DoctorMode[] | undefined;
  /** Ids of checks that must pass first. */
  readonly needs?: readonly string[] | undefined;
  /** How to fix it if the check throws; the error describes the problem. */
  readonly mend: string;
  run(patient: Patient): Outcome | Promise<Outcome>;
}

export const ok = (found: string): Outcome => ({ status: 'ok', found });
export const skipped = (found: string): Outcome => ({ status: 'skipped', found });
export const warning = (found: string, mend: string): Outcome => ({ status: 'warning', found, mend });
export const failed = (found: string, mend: string): Outcome => ({ status: 'failed', found, mend });

/** The facts about the machine that checks use. */
export interface Machine {
  /** As `process.versions.node`. */
  readonly nodeVersion: string;
  /** A copy: keys are removed from it when they are read. */
  readonly environment: NodeJS.ProcessEnv;
  /** Free bytes for this user on the disk of a path, which need not exist. */
  freeBytes(path: string): number;
  /** The folder in which pm2's file is searched. */
  readonly cwd: string;
  /** The version of the pm2 that a shell would start; undefined without one. */
  pm2Version(): string | undefined;
}

/** The machine of this process. */
export function thisMachine(): Machine {
  return { nodeVersion: process.versions.node, environment: { ...process.env }, cwd: process.cwd(), freeBytes, pm2Version };
}

/** Reads it from its package: starting pm2 would start its daemon. */
function pm2Version(): string | undefined {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    try {
      // The command is a link to bin/pm2 of the package.
      const root = dirname(dirname(realpathSync(join(folder, 'pm2'))));
      const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { name?: unknown; version?: unknown };
      if (name === 'pm2' && typeof version === 'string') return version;
    } catch {
      // It is not in this folder.
    }
  }
  return undefined;
}

function freeBytes(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error;
    return freeBytes(dirname(path));
  }
}

/** The config that is examined, with the parts that earlier checks have found. */
export class Patient {
  /** The exchange's addresses and keys, set by the check of the keys. */
  access: Access | undefined;
  client: ExchangeClient | undefined;
  #loaded: LoadedConfig | undefined;

  constructor(
    readonly path: string,
    readonly mode: DoctorMode,
    /** `--set` arguments. */
    readonly set: readonly string[],
    readonly machine: Machine,
  ) {}

  /** Loads the config without its keys, which have a check of their own. @throws TidegateError CONFIG_INVALID, CONFIG_NOT_FOUND */
  load(): LoadedConfig {
    if (this.#loaded === undefined) {
      this.#loaded = loadConfig(this.path, {
        withoutBacktest: this.mode !== 'backtest',
        set: [...this.set, ...withoutKeys(this.mode)],
        env: this.machine.environment,
      });
    }
    return this.#loaded;
  }

  get loaded(): LoadedConfig {
    return this.load();
  }

  /** The client of a live config. */
  get exchange(): ExchangeClient {
    invariant(this.client !== undefined, 'a check that asks the exchange needs the check of the keys');
    return this.client;
  }

  get instruments(): Instrument[] {
    return plannedInstruments(this.loaded.config);
  }

  /** The bot's folder. */
  get folder(): BotFolder {
    const { config } = this.loaded;
    const dir = this.mode === 'live' ? config.live?.dir : config.paper?.dir;
    invariant(this.mode !== 'backtest' && dir !== undefined, 'a bot has a folder');
    return botFolder(dir, config.name, this.mode);
  }
}

/** Settings that make a config valid while the variables of its keys are not set. */
function withoutKeys(mode: DoctorMode): string[] {
  return mode === 'live' ? ['live.enabled=false'] : [];
}
