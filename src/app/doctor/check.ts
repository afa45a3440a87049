import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ExchangeClient } from '../../exchange/client/exchange-client.ts';
import { invariant } from '../../model/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Access } from '../access/access-settings.ts';
import { hideSecrets } from '../access/hide-secrets.ts';
import { type LoadedConfig, loadConfig } from '../config/load-config.ts';
import { type BotFolder, botFolder } from '../planning/bot-folder.ts';
import { plannedInstruments } from '../planning/planned-account.ts';

/** What a config may be run as. */
export type DoctorMode = 'backtest' | 'paper' | 'live';

/** What came of one check. */
export interface Outcome {
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped';
  /** What was found, or why nothing was looked at. */
  readonly found: string;
  /** What to do about it. */
  readonly mend?: string | undefined;
}

/** One check of a config and its surroundings, made before a run or while it goes on. */
export interface Check {
  readonly id: string;
  /** What is asked, in a few words. */
  readonly title: string;
  /** Where it means anything; all modes unless said otherwise. */
  readonly modes?: readonly DoctorMode[] | undefined;
  /** Ids of checks without which it cannot be made. */
  readonly needs?: readonly string[] | undefined;
  /** What to do where it throws; its error says what is wrong. */
  readonly mend: string;
  run(patient: Patient): Outcome | Promise<Outcome>;
}

export const ok = (found: string): Outcome => ({ status: 'ok', found });
export const skipped = (found: string): Outcome => ({ status: 'skipped', found });
export const warning = (found: string, mend: string): Outcome => ({ status: 'warning', found, mend });
export const failed = (found: string, mend: string): Outcome => ({ status: 'failed', found, mend });

/** What checks ask of the machine they run on. */
export interface Machine {
  /** As `process.versions.node`. */
  readonly nodeVersion: string;
  /** A copy: keys leave it when they are read. */
  readonly environment: NodeJS.ProcessEnv;
  /** Bytes that this user may still write where the path is, or would be. */
  freeBytes(path: string): number;
  /** Where a file of pm2 is looked for. */
  readonly cwd: string;
}

/** The one at hand. */
export function thisMachine(): Machine {
  return { nodeVersion: process.versions.node, environment: { ...process.env }, cwd: process.cwd(), freeBytes };
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

/** A config and what belongs to it, as checks find it out one after another. */
export class Patient {
  /** Where the exchange is; checked before it is asked. */
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

  /** The keys of the config are asked for by a check of their own. @throws TidegateError CONFIG_INVALID, CONFIG_NOT_FOUND */
  load(): LoadedConfig {
    if (this.#loaded === undefined) {
      this.#loaded = loadConfig(this.path, { set: [...this.set, ...withoutKeys(this.mode)], env: this.machine.environment });
      // Strategies are loaded next: they must not find the keys.
      hideSecrets(process.env, this.#loaded.config.live);
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

  /** Of the bot. */
  get folder(): BotFolder {
    const { config } = this.loaded;
    const dir = this.mode === 'live' ? config.live?.dir : config.paper?.dir;
    invariant(this.mode !== 'backtest' && dir !== undefined, 'a bot has a folder');
    return botFolder(dir, config.name, this.mode);
  }
}

/** A config that names its keys by variables is checked without them, too. */
function withoutKeys(mode: DoctorMode): string[] {
  return mode === 'live' ? ['live.enabled=false'] : [];
}
