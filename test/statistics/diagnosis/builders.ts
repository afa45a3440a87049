import { Decimal, ZERO } from '../../../src/model/decimal.ts';
import { Fill, type Liquidity } from '../../../src/model/fill.ts';
import type { Instrument } from '../../../src/model/instrument.ts';
import type { PositionSide, Side } from '../../../src/model/order.ts';
import type { Diagnosed, DiagnosisContext } from '../../../src/statistics/diagnosis/check.ts';
import { type BarAtFill, FillsInBars } from '../../../src/statistics/diagnosis/fills-in-bars.ts';
import type { RunRecord } from '../../../src/statistics/run-record.ts';
import { computeStatistics } from '../../../src/statistics/statistics.ts';
import { tradesOf } from '../../../src/statistics/trades/trade-builder.ts';
import { type RecordParts, runRecord, SPOT } from '../builders.ts';

/** The context, with the bars of fills as a list. */
export type ContextParts = Partial<Omit<DiagnosisContext, 'bars'>> & { readonly bars?: ReadonlyMap<Fill, BarAtFill> };

/** Nothing asked for, nothing seen, the strictest fills. */
export function context({ bars = new Map(), ...parts }: ContextParts = {}): DiagnosisContext {
  const inBars = new FillsInBars();
  for (const [fill, bar] of bars) inBars.add(fill, bar);
  return {
    strategies: [{ id: 's', parameters: [], stopsAsked: 0 }],
    intents: 0,
    orders: 0,
    denied: 0,
    rejected: 0,
    deniedByPauses: 0,
    unsentExits: { count: 0, final: 0, first: '' },
    fills: { freeTaking: new Set(), marketAtClose: new Set(), worstPath: true, fillsOnTouch: false, exitsNextBar: false },
    pathFills: 0,
    unguardedBars: 0,
    narrowTrailBars: 0,
    bars: inBars,
    gaps: [],
    liquidationDistance: undefined,
    delayed: undefined,
    ...parts,
  };
}

/** A run of a day from 1,000, with what is given; its trades and statistics follow from that. */
export function diagnosed(record: RecordParts, seen: ContextParts = {}): Diagnosed {
  const whole = runRecord({ totalFees: (record.fills ?? []).reduce((sum, { fee }) => sum.plus(fee), ZERO), ...record });
  const trades = tradesOf(whole);
  return { record: whole, trades, statistics: computeStatistics(whole, trades), context: context(seen) };
}

/** A run that ends with this equity. */
export function ending(finalEquity: number, record: RecordParts = {}, seen: ContextParts = {}): Diagnosed {
  return diagnosed({ finalEquity: new Decimal(finalEquity), ...record }, seen);
}

interface FillParts {
  readonly side: Side;
  readonly price: number;
  readonly quantity?: number;
  readonly fee?: string;
  readonly time?: number;
  readonly pricedTime?: number;
  readonly liquidity?: Liquidity;
  readonly instrument?: Instrument;
  readonly strategyId?: string;
  /** Orders of liquidations have a name of their own. */
  readonly clientOrderId?: string;
  readonly tag?: string;
  readonly positionSide?: PositionSide;
}

/** Of 1 BTC by strategy `s`, priced when it happened, at a fee that is not zero. */
export function execution(parts: FillParts): Fill {
  const { side, price, quantity = 1, fee = '0.0001', time = 0, pricedTime = time, liquidity = 'taker', instrument = SPOT } = parts;
  const { strategyId = 's', clientOrderId = 'c', tag = '', positionSide = 'net' } = parts;
  const ticks = price * 100;
  const steps = quantity * 100;
  const money = [instrument.notional(ticks, steps), new Decimal(fee), instrument.quote] as const;
  return new Fill(
    'f',
    'o',
    clientOrderId,
    strategyId,
    instrument,
    side,
    positionSide,
    ticks,
    steps,
    ...money,
    liquidity,
    tag,
    time,
    0,
    0,
    pricedTime,
  );
}

/** Long trades of 1 BTC from 100, one a second, each with this profit before fees of 0.0002. */
export function tradesWith(...profits: number[]): Fill[] {
  return tradesOfStrategy('s', ...profits);
}

export function tradesOfStrategy(strategyId: string, ...profits: number[]): Fill[] {
  return profits.flatMap((profit, index) => [
    execution({ strategyId, side: 'buy', price: 100, time: index * 1000 }),
    execution({ strategyId, side: 'sell', price: 100 + profit, time: index * 1000 + 500 }),
  ]);
}

/** What is open of BTC-USDT stood at this price at its best, and at 100 at its worst. */
export function stoodAt(price: number): RunRecord['lastRanges'] {
  return new Map([[SPOT, { lowTicks: 10_000, highTicks: price * 100 }]]);
}

/** The same number, so many times. */
export function times(count: number, value: number): number[] {
  return Array.from({ length: count }, () => value);
}

/** Samples of an equity that stays at 1,000 with so much in positions. */
export function exposed(...exposures: number[]): RunRecord['equity'] {
  return exposures.map((exposure, index) => ({ time: index, equity: new Decimal(1000), drawdown: 0, exposure, netExposure: exposure }));
}

/** What buy and hold went through. */
export function holding(...equity: number[]): RunRecord['benchmark'] {
  return { label: 'buy and hold', equity, dayEquity: [] };
}
