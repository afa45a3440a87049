import { join, relative } from 'node:path';
import { parse } from 'yaml';
import { isoTime } from '../../model/time.ts';
import { seriesTitle } from '../../recording/columns/series-meta.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { PaperExchange } from '../live/paper-exchange.ts';
import { botSection, planBot } from '../live/plan-bot.ts';
import { type BotMode, botFolder } from '../planning/bot-folder.ts';
import { planBacktest } from '../planning/plan-backtest.ts';
import { SILENT } from '../planning/run-plans.ts';
import { type InspectOptions, inspected, withoutSecrets } from './show-config.ts';

export const CHECK_MODES = ['backtest', 'paper', 'live'] as const;
type CheckMode = (typeof CHECK_MODES)[number];

export interface CheckOptions extends InspectOptions {
  readonly mode?: CheckMode;
}

/** The plan of one mode, as `--json` prints it. */
interface CheckedPlan {
  readonly mode: CheckMode;
  /** ISO times of the run: absent for bots, which run until they are stopped. */
  readonly from?: string;
  readonly to?: string;
  readonly strategies: readonly { readonly id: string; readonly symbols: readonly string[]; readonly params: unknown }[];
  /** The recorded series that the run reads. */
  readonly data: readonly { readonly recording: string; readonly series: string; readonly rows: number }[];
  readonly warnings: readonly string[];
}

/**
 * Makes the plan of each mode that a config has a section for, without running it: it loads the strategies, checks their parameters, and
 * opens the recordings. Prints what would run. No request is sent.
 * @throws TidegateError as the run would throw it.
 */
export async function checkConfig(path: string, options: CheckOptions, print: (line: string) => void): Promise<void> {
  const { mode: only } = options;
  const looked = await inspected(path, options.set, only === 'backtest');
  const modes = only === undefined ? modesOf(looked.loaded.config) : [only];
  // A config without any mode is refused as a backtest refuses it.
  const { loaded, terms } = modes.length === 0 ? await inspected(path, options.set, true) : looked;
  const { config } = loaded;
  const plans: CheckedPlan[] = [];
  for (const mode of modes) {
    const plan = mode === 'backtest' ? await backtestPlan(loaded, terms.datedTicks) : await botPlan(loaded, mode);
    plans.push({ ...plan, warnings: [...(mode === 'backtest' ? terms.warnings : []), ...plan.warnings] });
  }
  if (options.json === true) print(JSON.stringify({ name: config.name, config: relative(process.cwd(), loaded.file), plans }));
  else for (const line of planLines(config.name, plans)) print(line);
}

/** The modes that the config has the settings for. */
function modesOf(config: LoadedConfig['config']): CheckMode[] {
  return CHECK_MODES.filter((mode) => (mode === 'backtest' ? config.backtest.data.length > 0 : config[mode] !== undefined));
}

async function backtestPlan(loaded: LoadedConfig, datedTicks: ReadonlySet<string>): Promise<CheckedPlan> {
  const { plan, series, configText, warnings, choices } = await planBacktest(loaded, SILENT, undefined, datedTicks);
  return {
    mode: 'backtest',
    from: isoTime(plan.from),
    // The last bar ends one interval after the time of its row.
    to: isoTime(Math.min(plan.to, Math.max(...series.map(({ meta }) => meta.lastTime + (meta.intervalMs ?? 0))))),
    strategies: strategiesIn(configText),
    data: series.map(({ recording, meta }) => ({ recording, series: seriesTitle(meta), rows: meta.rows })),
    warnings: [...choices, ...warnings],
  };
}

async function botPlan(loaded: LoadedConfig, mode: BotMode): Promise<CheckedPlan> {
  botSection(loaded, mode);
  const exchange = await startOf(loaded, mode);
  const { plan, warnings } = await planBot(loaded, mode, SILENT, { start: exchange.start, speed: 1 });
  return { mode, strategies: strategiesIn(plan.origin?.text ?? ''), data: [], warnings: [...exchange.warnings, ...warnings] };
}

/** Epoch ms at which a bot would start: now, or where its recording begins or goes on; and the warnings about its exchange. */
async function startOf(loaded: LoadedConfig, mode: BotMode): Promise<{ readonly start: number; readonly warnings: readonly string[] }> {
  const { name, paper } = loaded.config;
  if (mode === 'live' || paper === undefined) return { start: Date.now(), warnings: [] };
  const { path } = botFolder(paper.dir, name, mode);
  const { lastTime, prices, warnings } = await PaperExchange.open(loaded, paper, join(path, 'exchange.state'));
  return { start: Math.max(lastTime, prices.start), warnings };
}

/** The strategies with their effective parameters. */
function strategiesIn(text: string): CheckedPlan['strategies'] {
  const { strategies = [] } = parse(withoutSecrets(text)) as { strategies?: CheckedPlan['strategies'] };
  return strategies.map(({ id, symbols, params }) => ({ id, symbols, params }));
}

function planLines(name: string, plans: readonly CheckedPlan[]): string[] {
  return plans.flatMap(({ mode, from, to, strategies, data, warnings }) => [
    `${name} can run as ${mode}${from === undefined ? '' : `, from ${from} to ${to}`}`,
    ...strategies.map(({ id, symbols, params }) => `  strategy ${id} on ${symbols.join(', ')}: ${JSON.stringify(params)}`),
    ...data.map(({ recording, series, rows }) => `  data ${recording}: ${series}, ${rows.toLocaleString('en-US')} rows`),
    ...warnings.map((text) => `  warning: ${text}`),
  ]);
}
