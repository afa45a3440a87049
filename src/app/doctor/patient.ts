import type { ExchangeClient } from '../../exchange/client/exchange-client.ts';
import { invariant } from '../../model/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import { hideSecrets } from '../backtest/hide-secrets.ts';
import { plannedInstruments } from '../backtest/planning/instruments.ts';
import { type LoadedConfig, loadConfig } from '../config/load-config.ts';
import type { Access } from '../exchange/access-settings.ts';
import { type BotFolder, botFolder } from '../live/process/bot-folder.ts';
import type { DoctorMode } from './doctor-mode.ts';
import type { Machine } from './machine.ts';

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
