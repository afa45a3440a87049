import { type SimulatedRun, simulateRun } from '../src/app/backtest/simulate-run.ts';
import type { BacktestPlan, PlannedFutures, PlannedSource } from '../src/app/planning/run-plans.ts';
import type { FillSettings } from '../src/matching/settings.ts';
import type { AccountEvent, OrderEvent, TimerFired } from '../src/model/account-events.ts';
import { Decimal } from '../src/model/decimal.ts';
import type { Fill } from '../src/model/fill.ts';
import { type ContractSpec, Instrument, type InstrumentSpec } from '../src/model/instrument.ts';
import type { MarginSettings } from '../src/model/margin.ts';
import type { Bar, Depth, Funding, Mark, MarketEventKind, Quote, Ticker, Trade } from '../src/model/market-events.ts';
import type { ApprovedOrder, OrderRequest } from '../src/model/order.ts';
import type { SignalReceived } from '../src/model/signal.ts';
import type { ReadonlyState } from '../src/state/state.ts';
import { type Intents, Strategy, type StrategyContext } from '../src/strategy/strategy.ts';
import type { PositionView, RequestsView } from '../src/strategy/views.ts';
import { type RowStream, type SeriesSource, unitScale } from '../src/venues/simulated/row-source.ts';
import { CollectedTables } from './support/collected-tables.ts';

/** The start of the tests' time, 2023-11-15 UTC: an epoch where doubles are as coarse as in real life. */
export const T0 = 1_700_006_400_000;
export const MINUTE_MS = 60_000;

export const at = (seconds: number) => T0 + seconds * 1000;
export const secondsOf = (time: number) => (time - T0) / 1000;

/** Whole ticks and steps of 1, no fees, unless said otherwise. */
export function instrument(spec: Partial<InstrumentSpec> = {}, index = 0): Instrument {
  return new Instrument(index, { symbol: 'BTC-USDT', tickSize: '1', stepSize: '1', ...spec });
}

/** A contract of one coin: one tier of 1 %, no liquidation fee, triggers by the last price, unless said otherwise. */
export function perpetual(
  spec: Partial<Omit<InstrumentSpec, 'contract'>> & { contract?: Partial<ContractSpec> } = {},
  index = 0,
): Instrument {
  const { contract, ...rest } = spec;
  return instrument(
    {
      symbol: 'BTC-USDT-PERP',
      ...rest,
      contract: { value: '1', tiers: [{ maintenance: '0.01' }], liquidationFee: '0', triggerBy: 'last', ...contract },
    },
    index,
  );
}

/** The defaults of the config, but for a leverage of 10. */
export function marginSettings(settings: Partial<MarginSettings> = {}): MarginSettings {
  const ten = new Decimal(10);
  return { mode: 'shared', separated: false, longLeverage: ten, shortLeverage: ten, autoAppend: false, ...settings };
}

/** The defaults of the config. */
export function fillSettings(settings: Partial<FillSettings> = {}): FillSettings {
  return {
    market: 'nextOpen',
    limit: 'strictCross',
    gapFill: 'limit',
    path: 'worst',
    liquidity: 'recorded',
    barVolumeShare: undefined,
    halfSpreadTicks: 0,
    restingBy: 'both',
    impact: 'kept',
    slippageBps: 0,
    ...settings,
  };
}

/** A market buy of one step, as the risk gate lets it through; of a contract it opens the side it names. */
export function order(request: Partial<OrderRequest> = {}): ApprovedOrder {
  const opens = request.side === 'sell' ? 'short' : 'long';
  return {
    clientOrderId: 'a',
    strategyId: 's',
    instrument: instrument(),
    side: 'buy',
    positionSide: request.instrument?.contract === undefined ? 'net' : opens,
    type: request.priceTicks === undefined ? 'market' : 'limit',
    timeInForce: 'GTC',
    postOnly: false,
    reduceOnly: false,
    priceTicks: undefined,
    triggerTicks: undefined,
    fromNextBar: false,
    steps: request.quoteQuantity === undefined ? 1 : undefined,
    quoteQuantity: undefined,
    tag: '',
    released: false,
    decidedSequence: 0,
    seenSequence: 0,
    ...request,
  } as ApprovedOrder;
}

/** One row of a recording: seconds after `T0`, then the columns of its kind as whole ticks and steps. */
export type Row = readonly [seconds: number, ...columns: number[]];

export interface SeriesOptions {
  /** Rows that are read at once; few unless it matters. */
  readonly chunkRows?: number;
  readonly intervalMs?: number;
  readonly nanos?: readonly number[];
  readonly quantityDecimals?: number;
  /** Of marks and funding rates: the rows hold integers of `10^-priceDecimals`. */
  readonly priceDecimals?: number;
}

const COLUMNS: Readonly<Record<MarketEventKind, number>> = { bar: 5, depth: 6, quote: 4, trade: 3, ticker: 1, mark: 1, funding: 1 };
/** Small, so that chunks end in the middle of everything. */
const CHUNK = 3;

/** Rows as a recorded series: one memory for all chunks, overwritten by each, as the reader of files has it. */
export function series(kind: MarketEventKind, rows: readonly Row[], options: SeriesOptions = {}): SeriesSource {
  const { chunkRows = CHUNK } = options;
  const time = new Float64Array(chunkRows);
  const columns = Array.from({ length: COLUMNS[kind] }, () => new Float64Array(chunkRows));
  const nanos = options.nanos === undefined ? undefined : new Int16Array(chunkRows);
  let next = 0;
  const stream = {
    length: 0,
    time,
    columns,
    nanos,
    next() {
      const chunk = rows.slice(next, next + chunkRows);
      chunk.forEach(([seconds, ...values], index) => {
        time[index] = at(seconds);
        columns.forEach((column, at) => {
          column[index] = values[at] ?? DEFAULTS[kind][at]!;
        });
        if (nanos !== undefined) nanos[index] = options.nanos?.[next + index] ?? 0;
      });
      next += chunk.length;
      stream.length = chunk.length;
      return chunk.length > 0;
    },
    close() {},
  } satisfies RowStream;
  const one = unitScale(0, { numerator: 1, decimals: 0 });
  return {
    rows: stream,
    price: one,
    quantity: one,
    priceDecimals: options.priceDecimals ?? 0,
    quantityDecimals: options.quantityDecimals ?? 0,
    intervalMs: options.intervalMs ?? (kind === 'bar' ? MINUTE_MS : 0),
    snapshots: rows.filter((row) => kind === 'depth' && row[4] === 1).length,
  };
}

/** What a row may leave out: volumes and sizes are plenty, the aggressor is not known. */
const DEFAULTS: Readonly<Record<MarketEventKind, readonly number[]>> = {
  bar: [0, 0, 0, 0, 1_000_000],
  depth: [0, 0, 0, 0, 0, 0],
  quote: [0, 0, 1_000_000, 1_000_000],
  trade: [0, 1_000_000, 0],
  ticker: [0],
  mark: [0],
  funding: [0],
};

/** Minute bars one after the other from `T0`: `[open, high, low, close, volume]`. */
export function minuteBars(...bars: readonly (readonly number[])[]): Row[] {
  return bars.map((bar, index) => [index * 60, ...bar]);
}

/** The hooks of a strategy as functions; `self` is the strategy. */
export interface Script {
  onStart?(self: Scripted): Intents;
  onBar?(self: Scripted, bar: Bar): Intents;
  onQuote?(self: Scripted, quote: Quote): Intents;
  onDepth?(self: Scripted, depth: Depth): Intents;
  onTrade?(self: Scripted, trade: Trade): Intents;
  onTicker?(self: Scripted, ticker: Ticker): Intents;
  onMark?(self: Scripted, mark: Mark): Intents;
  onFunding?(self: Scripted, funding: Funding): Intents;
  onTimer?(self: Scripted, timer: TimerFired): Intents;
  onSignal?(self: Scripted, signal: SignalReceived): Intents;
  onOrder?(self: Scripted, event: OrderEvent): Intents;
  onFill?(self: Scripted, fill: Fill): Intents;
  onStop?(self: Scripted): Intents;
}

/** A strategy that does what its script says. */
export class Scripted extends Strategy {
  static override readonly needs: { bars: string | readonly string[] } = { bars: '1m' };

  constructor(
    context: StrategyContext,
    private readonly script: Script,
  ) {
    super(context);
  }

  get world(): ReadonlyState {
    return this.state;
  }
  get time(): number {
    return this.now;
  }
  held(symbol = 'BTC-USDT', positionSide?: 'long' | 'short'): PositionView {
    return this.position(symbol, positionSide);
  }
  open(symbol = 'BTC-USDT') {
    return this.orders(symbol);
  }
  get standing(): RequestsView {
    return this.requests;
  }

  override onStart(): Intents {
    return this.script.onStart?.(this);
  }
  override onBar(bar: Bar): Intents {
    return this.script.onBar?.(this, bar);
  }
  override onQuote(quote: Quote): Intents {
    return this.script.onQuote?.(this, quote);
  }
  override onDepth(depth: Depth): Intents {
    return this.script.onDepth?.(this, depth);
  }
  override onTrade(trade: Trade): Intents {
    return this.script.onTrade?.(this, trade);
  }
  override onTicker(ticker: Ticker): Intents {
    return this.script.onTicker?.(this, ticker);
  }
  override onMark(mark: Mark): Intents {
    return this.script.onMark?.(this, mark);
  }
  override onFunding(funding: Funding): Intents {
    return this.script.onFunding?.(this, funding);
  }
  override onTimer(timer: TimerFired): Intents {
    return this.script.onTimer?.(this, timer);
  }
  override onSignal(signal: SignalReceived): Intents {
    return this.script.onSignal?.(this, signal);
  }
  override onOrder(event: OrderEvent): Intents {
    return this.script.onOrder?.(this, event);
  }
  override onFill(fill: Fill): Intents {
    return this.script.onFill?.(this, fill);
  }
  override onStop(): Intents {
    return this.script.onStop?.(this);
  }
}

class ScriptedOnFive extends Scripted {
  static override readonly needs = { bars: ['1m', '5m'] };
}

type Built = 'sources' | 'fills' | 'balances' | 'spotBalances' | 'account' | 'latency' | 'strategies' | 'futures';

export interface PlanOptions extends Partial<Omit<BacktestPlan, Built>> {
  readonly sources: readonly PlannedSource[];
  readonly fills?: Partial<FillSettings>;
  readonly latency?: Partial<BacktestPlan['latency']>;
  readonly balances?: Readonly<Record<string, string>>;
  /** The spot wallet beside a futures account. */
  readonly spotBalances?: Readonly<Record<string, string>>;
  readonly kind?: 'spot' | 'netting' | 'futures';
  /** Of all contracts of a futures account. */
  readonly margin?: Partial<MarginSettings>;
  readonly futures?: Partial<PlannedFutures>;
  /** On bars, when exits begin to work. */
  readonly exits?: 'nextBar' | 'entryBar';
  readonly script?: Script;
  readonly strategies?: BacktestPlan['strategies'];
}

const decimals = (amounts: Readonly<Record<string, string>>) =>
  new Map(Object.entries(amounts).map(([asset, amount]) => [asset, new Decimal(amount)]));

/** A plan over in-memory data: one netting account, the full profile, the config's fill rules, no limits. */
export function plan(options: PlanOptions): BacktestPlan {
  const {
    sources,
    fills,
    latency,
    balances,
    spotBalances,
    kind = 'netting',
    margin,
    futures,
    exits = 'entryBar',
    script = {},
    ...rest
  } = options;
  const instruments = rest.instruments ?? [...new Set(sources.map((source) => source.instrument))];
  const symbols = instruments.map(({ symbol }) => symbol);
  return {
    name: 'test',
    strategies: [{ id: 's', symbols, params: {}, create: (context) => new ScriptedOnFive(context, script) }],
    limits: { maxPosition: new Map() },
    exitsWaitForNextBar: exits === 'nextBar' && sources.some(({ kind: of }) => of === 'bar'),
    profile: 'full',
    marketBuyCollar: new Decimal('0.05'),
    closeAtEnd: false,
    from: Number.NEGATIVE_INFINITY,
    to: Number.POSITIVE_INFINITY,
    bars: { from: 'bar', intervals: instruments.map(() => []), graceMs: 2000 },
    history: () => [],
    log: { debug() {}, info() {}, warn() {} },
    ...rest,
    instruments,
    sources,
    account: {
      kind,
      currency: instruments[0]!.quote,
      equityEveryMs: 3_600_000,
      ...(kind === 'futures' ? marginOf(instruments, margin) : {}),
    },
    balances: decimals(balances ?? { USDT: '1000000' }),
    spotBalances: decimals(spotBalances ?? {}),
    futures: kind === 'futures' ? futuresPlan(futures) : undefined,
    fills: fillSettings(fills),
    latency: { entryMs: 0, cancelMs: 0, responseMs: 0, ...latency },
  };
}

function marginOf(instruments: readonly Instrument[], settings: Partial<MarginSettings> = {}) {
  const contracts = instruments.filter(({ contract }) => contract !== undefined);
  return { margin: new Map(contracts.map(({ symbol }) => [symbol, marginSettings(settings)])) };
}

/** The defaults of the config. */
function futuresPlan(settings: Partial<PlannedFutures> = {}): PlannedFutures {
  return { markMaxAgeMs: 60_000, liquidation: true, insuranceFund: new Map(), constantFunding: new Map(), ...settings };
}

export interface RunResult extends SimulatedRun {
  /** Every account event, in the order in which the engine took it. */
  readonly events: readonly AccountEvent[];
  readonly fills: readonly Fill[];
  readonly tables: CollectedTables;
}

/** Runs a plan to its end; what stopped the run is thrown. */
export async function run(options: PlanOptions, watch?: (event: AccountEvent) => void): Promise<RunResult> {
  const events: AccountEvent[] = [];
  const tables = new CollectedTables();
  const result = await simulateRun(plan(options), {
    tables: [tables],
    observe: (engine) => {
      engine.account$.subscribe((event) => {
        events.push(event);
        watch?.(event);
      });
    },
  });
  if (result.failure !== undefined) throw result.failure.error;
  return { ...result, tables, events, fills: events.flatMap((event) => (event.kind === 'orderFilled' ? [event.fill] : [])) };
}
