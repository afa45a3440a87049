import { type SimulatedRun, simulateRun } from '../../src/app/backtest/simulate-run.ts';
import type { BacktestPlan, PlannedStrategy } from '../../src/app/planning/run-plans.ts';
import type { Engine } from '../../src/engine/engine.ts';
import type { OrderEvent, TimerFired } from '../../src/model/account-events.ts';
import type { BarInterval } from '../../src/model/bar-interval.ts';
import { Decimal } from '../../src/model/decimal.ts';
import type { Fill } from '../../src/model/fill.ts';
import { Instrument, type InstrumentSpec } from '../../src/model/instrument.ts';
import type { Bar, Funding, Mark, MarketEventKind, Quote, Ticker, Trade } from '../../src/model/market-events.ts';
import type { IndicatorBars, Updatable } from '../../src/strategy/indicators.ts';
import type { PlotOptions } from '../../src/strategy/plots.ts';
import { type Intents, Strategy, type StrategyContext, type StrategyNeeds } from '../../src/strategy/strategy.ts';
import type { SeriesSource } from '../../src/venues/simulated/row-source.ts';
import { CollectedTables } from '../support/collected-tables.ts';

/** 2025-01-01T00:00:00Z. */
export const T0 = 1_735_689_600_000;
export const MINUTE = 60_000;

/** One unit a tick and a step and no fees, unless said otherwise: expected numbers stay readable. */
export function instrument(index = 0, spec: Partial<InstrumentSpec> = {}): Instrument {
  return new Instrument(index, { symbol: 'BTC-USDT', tickSize: '1', stepSize: '1', ...spec });
}

export const BTC = instrument(0);
export const ETH = instrument(1, { symbol: 'ETH-USDT' });

/** Rows in memory, in ticks and steps, two rows a chunk so that chunk borders are crossed. */
export function series(rows: readonly (readonly number[])[], columns: number, intervalMs = 0): SeriesSource {
  const time = new Float64Array(2);
  const data = Array.from({ length: columns }, () => new Float64Array(2));
  let at = 0;
  const stream = {
    length: 0,
    time,
    columns: data,
    nanos: undefined,
    next(): boolean {
      const chunk = rows.slice(at, at + 2);
      at += 2;
      stream.length = chunk.length;
      chunk.forEach(([when, ...values], row) => {
        time[row] = when!;
        for (let column = 0; column < columns; column++) data[column]![row] = values[column] ?? 0;
      });
      return chunk.length > 0;
    },
    close() {},
  };
  const one = { multiply: 1, divide: 1 };
  return { rows: stream, price: one, quantity: one, priceDecimals: 0, quantityDecimals: 0, intervalMs, snapshots: 0 };
}

export interface Feed {
  readonly instrument: Instrument;
  readonly kind: MarketEventKind;
  readonly open: () => SeriesSource;
}

/** Bars as `[open, high, low, close, volume?]`, or one price for all four; `undefined` leaves a gap. */
export function bars(
  rows: readonly (readonly number[] | number | undefined)[],
  { of = BTC, from = T0, intervalMs = MINUTE }: { of?: Instrument; from?: number; intervalMs?: number } = {},
): Feed {
  const list = rows.flatMap((row, index) => {
    if (row === undefined) return [];
    const [open, high, low, close, volume = 1000] = typeof row === 'number' ? [row, row, row, row] : row;
    return [[from + index * intervalMs, open!, high!, low!, close!, volume]];
  });
  return { instrument: of, kind: 'bar', open: () => series(list, 5, intervalMs) };
}

/** `[seconds after T0, price]`. */
export function tickers(rows: readonly (readonly [number, number])[], of = BTC): Feed {
  return {
    instrument: of,
    kind: 'ticker',
    open: () =>
      series(
        rows.map(([at, price]) => [T0 + at * 1000, price]),
        1,
      ),
  };
}

/** `[seconds after T0, price, steps, side]`. */
export function trades(rows: readonly (readonly [number, number, number?, number?])[], of = BTC): Feed {
  return {
    instrument: of,
    kind: 'trade',
    open: () =>
      series(
        rows.map(([at, price, steps = 1000, side = 0]) => [T0 + at * 1000, price, steps, side]),
        3,
      ),
  };
}

/** `[seconds after T0, bid, ask]`. */
export function quotes(rows: readonly (readonly [number, number, number])[], of = BTC): Feed {
  return {
    instrument: of,
    kind: 'quote',
    open: () =>
      series(
        rows.map(([at, bid, ask]) => [T0 + at * 1000, bid, ask, 1000, 1000]),
        4,
      ),
  };
}

/** The protected side of a strategy, for the hooks of a script. */
export class Scripted extends Strategy {
  override position(symbol = 'BTC-USDT', positionSide?: 'long' | 'short') {
    return super.position(symbol, positionSide);
  }
  override orders(symbol?: string) {
    return super.orders(symbol);
  }
  override market(symbol = 'BTC-USDT') {
    return super.market(symbol);
  }
  override history(symbol: string, interval?: string) {
    return super.history(symbol, interval);
  }
  override bars(symbol: string, interval: string, count: number) {
    return super.bars(symbol, interval, count);
  }
  override indicator<Input, Result>(indicator: Updatable<Input, Result>, of: IndicatorBars<Input>) {
    return super.indicator(indicator, of);
  }
  override plot(name: string, value: number | null | undefined, options?: PlotOptions) {
    super.plot(name, value, options);
  }
  override get now() {
    return super.now;
  }
  override get state() {
    return super.state;
  }
  override get state$() {
    return super.state$;
  }
  get net() {
    return this.account;
  }
}

export interface Script {
  readonly needs?: StrategyNeeds;
  readonly symbols?: readonly string[];
  readonly references?: readonly string[];
  made?(me: Scripted): void;
  onStart?(me: Scripted): Intents;
  onTicker?(ticker: Ticker, me: Scripted): Intents;
  onQuote?(quote: Quote, me: Scripted): Intents;
  onTrade?(trade: Trade, me: Scripted): Intents;
  onBar?(bar: Bar, me: Scripted): Intents;
  onBars?(bars: readonly Bar[], me: Scripted): Intents;
  onMark?(mark: Mark, me: Scripted): Intents;
  onFunding?(funding: Funding, me: Scripted): Intents;
  onTimer?(timer: TimerFired, me: Scripted): Intents;
  onOrder?(event: OrderEvent, me: Scripted): Intents;
  onFill?(fill: Fill, me: Scripted): Intents;
  onStop?(me: Scripted): Intents;
  intents$?: NonNullable<Strategy['intents$']>;
}

const HOOKS = ['onTicker', 'onQuote', 'onTrade', 'onBar', 'onBars', 'onMark', 'onFunding', 'onTimer', 'onOrder', 'onFill'] as const;

/** A strategy whose class has just the hooks of the script. */
export function strategy(id: string, script: Script): PlannedStrategy {
  class Class extends Scripted {
    static override readonly needs = script.needs ?? (script.onBar === undefined ? {} : { bars: '1m' });
    constructor(context: StrategyContext) {
      super(context);
      script.made?.(this);
    }
  }
  for (const hook of HOOKS) {
    const own = script[hook] as ((event: unknown, me: Scripted) => Intents) | undefined;
    if (own === undefined) continue;
    Object.defineProperty(Class.prototype, hook, {
      value(this: Scripted, event: unknown) {
        return own(event, this);
      },
    });
  }
  for (const hook of ['onStart', 'onStop'] as const) {
    const own = script[hook];
    if (own !== undefined) {
      Object.defineProperty(Class.prototype, hook, {
        value(this: Scripted) {
          return own(this);
        },
      });
    }
  }
  if (script.intents$ !== undefined) Object.defineProperty(Class.prototype, 'intents$', { value: script.intents$ });
  const { symbols = ['BTC-USDT'], references } = script;
  return { id, symbols, references, params: {}, create: (context) => new Class(context) };
}

export interface PlanOptions extends Omit<Partial<BacktestPlan>, 'account' | 'balances' | 'fills' | 'limits'> {
  readonly data: readonly Feed[];
  readonly kind?: 'spot' | 'netting';
  readonly balances?: Readonly<Record<string, string>>;
  readonly fills?: Partial<BacktestPlan['fills']>;
  readonly limits?: Partial<BacktestPlan['limits']>;
  /** On bars, when exits begin to work. */
  readonly exits?: 'nextBar' | 'entryBar';
  /** Intervals that the engine builds, of every instrument. */
  readonly build?: readonly BarInterval[];
}

export function plan(strategies: readonly PlannedStrategy[], options: PlanOptions): BacktestPlan {
  const {
    data,
    kind = 'netting',
    balances = { USDT: '1000000' },
    fills = {},
    limits = {},
    build = [],
    exits = 'entryBar',
    ...rest
  } = options;
  const instruments = rest.instruments ?? [...new Set(data.map((feed) => feed.instrument))].sort((a, b) => a.index - b.index);
  const kinds = data.map((feed) => feed.kind);
  return {
    name: 'test',
    instruments,
    account: { kind, currency: 'USDT', equityEveryMs: MINUTE },
    balances: new Map(Object.entries(balances).map(([asset, amount]) => [asset, new Decimal(amount)])),
    strategies,
    limits: { maxPosition: new Map(), ...limits },
    fills: {
      market: 'nextOpen',
      limit: 'touch',
      gapFill: 'limit',
      path: 'worst',
      liquidity: 'unlimited',
      barVolumeShare: undefined,
      halfSpreadTicks: 0,
      slippageBps: 0,
      restingBy: 'both',
      impact: 'kept',
      ...fills,
    },
    exitsWaitForNextBar: exits === 'nextBar' && kinds.includes('bar'),
    latency: { entryMs: 0, cancelMs: 0, responseMs: 0 },
    profile: 'full',
    marketBuyCollar: new Decimal('0.05'),
    closeAtEnd: false,
    sources: data,
    from: Number.NEGATIVE_INFINITY,
    to: Number.POSITIVE_INFINITY,
    bars: {
      from: kinds.includes('trade') ? 'trade' : kinds.includes('ticker') ? 'ticker' : 'bar',
      intervals: instruments.map(() => build),
      graceMs: 2000,
    },
    history: () => [],
    log: { debug() {}, info() {}, warn() {} },
    ...rest,
  };
}

// biome-ignore lint/suspicious/noExplicitAny: lines of the event log are read as plain data.
export type LogLine = Record<string, any>;

export interface TestRun extends SimulatedRun {
  readonly tables: CollectedTables;
  /** The event log, parsed. */
  readonly log: readonly LogLine[];
  /** `buy 3 at 100` in order. */
  readonly filled: readonly string[];
  readonly codes: readonly string[];
  readonly message: string;
}

/** Runs scripts over the data; nothing of the pieces under test is replaced. */
export async function run(
  strategies: readonly PlannedStrategy[],
  options: PlanOptions,
  observe?: (engine: Engine) => void,
): Promise<TestRun> {
  const texts: string[] = [];
  const tables = new CollectedTables();
  const writeEvents = (more: Uint8Array) => texts.push(Buffer.from(more).toString());
  const done = await simulateRun(plan(strategies, options), { writeEvents, observe, tables: [tables] });
  const { error } = done.failure ?? {};
  return {
    ...done,
    tables,
    get log() {
      const lines = texts.join('').split('\n').slice(0, -1);
      return lines.map((line) => JSON.parse(line) as LogLine);
    },
    filled: tables.fills.map(({ side, quantity, price }) => `${side} ${quantity} at ${price}`),
    codes: tables.refusals.map(({ reason }) => reason.code),
    message: error instanceof Error ? error.message : error === undefined ? '' : String(error),
  };
}

/** The order events of the log as `kind:clientOrderId` with the bot's name left out. */
export function story(log: readonly LogLine[]): string[] {
  return log
    .filter(({ clientOrderId }) => clientOrderId !== undefined && clientOrderId !== '')
    .map(({ kind, clientOrderId }) => `${kind} ${String(clientOrderId).replace('test-', '')}`);
}
