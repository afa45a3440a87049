import { Decimal } from '../../model/decimal.ts';
import type { Instrument } from '../../model/instrument.ts';
import { Bar, Depth, Funding, Mark, type MarketEvent, Quote, Ticker, Trade } from '../../model/market-events.ts';

/** A market event as the state file keeps it: what happened, at which instrument (its index), and its numbers. */
export type PriceInput =
  | readonly ['ticker', instrument: number, ticks: number]
  | readonly ['trade', instrument: number, ticks: number, steps: number, side: -1 | 0 | 1]
  | readonly ['quote', instrument: number, bidTicks: number, askTicks: number, bidSteps: number, askSteps: number]
  | readonly [
      'depth',
      instrument: number,
      snapshot: boolean,
      bidTicks: readonly number[],
      bidSteps: readonly number[],
      askTicks: readonly number[],
      askSteps: readonly number[],
    ]
  | readonly ['mark', instrument: number, units: number, decimals: number]
  | readonly ['funding', instrument: number, rate: string]
  | readonly ['bar', instrument: number, open: number, high: number, low: number, close: number, volume: number, intervalMs: number];

export function priceInput(event: MarketEvent): PriceInput {
  const { index } = event.instrument;
  switch (event.kind) {
    case 'ticker':
      return ['ticker', index, event.lastTicks];
    case 'trade':
      return ['trade', index, event.priceTicks, event.steps, event.side === 'buy' ? 1 : event.side === 'sell' ? -1 : 0];
    case 'quote':
      return ['quote', index, event.bidTicks, event.askTicks, event.bidSteps, event.askSteps];
    case 'depth':
      return ['depth', index, event.snapshot, event.bids.ticks, event.bids.steps, event.asks.ticks, event.asks.steps];
    case 'mark':
      return ['mark', index, event.units, event.decimals];
    case 'funding':
      return ['funding', index, event.exactRate.toFixed()];
    case 'bar':
      return ['bar', index, event.openTicks, event.highTicks, event.lowTicks, event.closeTicks, event.volume, event.intervalMs];
  }
}

/** The event of an input, at the exchange's own time and in the exchange's own count. */
export function marketEvent(input: PriceInput, instruments: readonly Instrument[], time: number, sequence: number): MarketEvent {
  const instrument = instruments[input[1]]!;
  switch (input[0]) {
    case 'ticker':
      return new Ticker(instrument, time, sequence, input[2]);
    case 'trade':
      return new Trade(instrument, time, sequence, input[2], input[3], input[4] === 0 ? undefined : input[4] > 0 ? 'buy' : 'sell');
    case 'quote':
      return new Quote(instrument, time, sequence, input[2], input[3], input[4], input[5]);
    case 'depth':
      return new Depth(instrument, time, sequence, input[2], { ticks: input[3], steps: input[4] }, { ticks: input[5], steps: input[6] });
    case 'mark':
      return new Mark(instrument, time, sequence, input[2], input[3]);
    case 'funding':
      return new Funding(instrument, time, sequence, new Decimal(input[2]));
    case 'bar':
      return new Bar(instrument, time, sequence, input[7], input[2], input[3], input[4], input[5], input[6]);
  }
}
