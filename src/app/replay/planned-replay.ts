import { basename, join } from 'node:path';
import type { RunStarted } from '../../journal/journal-record.ts';
import { TidegateError } from '../../model/errors.ts';
import type { Log } from '../../ports/log.ts';
import { plannedStrategies } from '../backtest/planning/strategy-classes.ts';
import { type LoadedConfig, loadConfig } from '../config/load-config.ts';
import { botPlanOf } from '../live/planning/bot-plan-of.ts';
import type { ReplayPlan } from './replayed-run.ts';

/** With what a journal is replayed, where that is not what it was recorded with. */
export interface OtherCode {
  /** Path of a config that takes the place of the journal's. */
  readonly config?: string | undefined;
  /** Folder that strategies are taken from, each by the name of its file. */
  readonly strategyDir?: string | undefined;
  readonly set?: readonly string[] | undefined;
}

const SILENT: Log = { debug() {}, info() {}, warn() {} };

/** Makes the plans of a journal's runs: neither data nor keys are needed, and no exchange is asked. */
export class PlannedReplay {
  /** Strategies whose sources are not those of the record, by id. */
  readonly changed = new Set<string>();
  readonly #plans = new Map<string, Promise<ReplayPlan>>();

  constructor(private readonly other: OtherCode) {}

  /** @throws TidegateError as loading a config and its strategies does; USAGE where the run tells of no config. */
  async of(started: RunStarted): Promise<ReplayPlan> {
    const key = `${started.mode} ${started.config?.file} ${started.config?.text}`;
    const planned = this.#plans.get(key) ?? this.#plan(started);
    this.#plans.set(key, planned);
    const plan = await planned;
    for (const { id, source } of started.strategies) {
      const now = plan.strategies.find((one) => one.id === id);
      if (source !== undefined && now?.source !== source) this.changed.add(id);
    }
    return plan;
  }

  async #plan({ mode = 'paper', config }: RunStarted): Promise<ReplayPlan> {
    const loaded = this.#moved(this.#loaded(config));
    const { strategies, needs, params } = await plannedStrategies(loaded);
    // What is written of strategies' logs is there already.
    return botPlanOf(loaded, mode, { strategies, needs, params, history: () => [], log: SILENT, speed: 1 });
  }

  #loaded(recorded: RunStarted['config']): LoadedConfig {
    const { config, set } = this.other;
    if (config !== undefined) return loadConfig(config, { set, env: process.env });
    if (recorded !== undefined) return loadConfig(recorded.file, { set, text: recorded.text });
    throw new TidegateError('USAGE', 'the journal tells of no config: say with --config which it was');
  }

  #moved(loaded: LoadedConfig): LoadedConfig {
    const { strategyDir } = this.other;
    if (strategyDir === undefined) return loaded;
    const strategies = loaded.config.strategies.map((one) => ({ ...one, file: join(strategyDir, basename(one.file)) }));
    return { ...loaded, config: { ...loaded.config, strategies } };
  }
}
