import type { Decimal } from '../model/decimal.ts';
import type { Instrument } from '../model/instrument.ts';
import { Bar, type ChangedLevels, Depth, Funding, Mark, type MarketEvent, Quote, Ticker, Trade } from '../model/market-events.ts';

const CLASSES = [Bar, Depth, Quote, Trade, Ticker, Mark, Funding];

export function isMarketEvent(value: object): value is MarketEvent {
  return CLASSES.some((kind) => value instanceof kind);
}

/** A market event as a row, its names left out: most records of a journal are market events. */
export function marketColumns(event: MarketEvent): unknown[] {
  return [event.kind, event.symbol, event.time, event.sequence, ...ownColumns(event)];
}

function ownColumns(event: MarketEvent): unknown[] {
  switch (event.kind) {
    case 'bar':
      return [event.intervalMs, event.openTicks, event.highTicks, event.lowTicks, event.closeTicks, event.volume];
    case 'depth':
      return [event.snapshot, event.bids.ticks, event.bids.steps, event.asks.ticks, event.asks.steps];
    case 'quote':
      return [event.bidTicks, event.askTicks, event.bidSteps, event.askSteps];
    case 'trade':
      return [event.priceTicks, event.steps, event.side ?? null];
    case 'ticker':
      return [event.lastTicks];
    case 'mark':
      return [event.units, event.decimals];
    case 'funding':
      return [event.exactRate];
  }
}

/** The event again, from its row. @throws Error where the kind is none. */
export function marketEventOf(columns: readonly unknown[], instrument: Instrument): MarketEvent {
  const [kind, , time, sequence, ...own] = columns as [string, string, number, number, ...unknown[]];
  const [a, b, c, d, e, f] = own as number[];
  switch (kind as MarketEvent['kind']) {
    case 'bar':
      return new Bar(instrument, time, sequence, a!, b!, c!, d!, e!, f!);
    case 'depth':
      return new Depth(instrument, time, sequence, own[0] as boolean, levels(own[1], own[2]), levels(own[3], own[4]));
    case 'quote':
      return new Quote(instrument, time, sequence, a!, b!, c!, d!);
    case 'trade':
      return new Trade(instrument, time, sequence, a!, b!, (own[2] ?? undefined) as Trade['side']);
    case 'ticker':
      return new Ticker(instrument, time, sequence, a!);
    case 'mark':
      return new Mark(instrument, time, sequence, a!, b!);
    case 'funding':
      return new Funding(instrument, time, sequence, own[0] as Decimal);
    default:
      throw new Error(`no market event is called ${JSON.stringify(kind)}`);
  }
}

function levels(ticks: unknown, steps: unknown): ChangedLevels {
  return { ticks: ticks as number[], steps: steps as number[] };
}
