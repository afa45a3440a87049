import { Decimal } from '../../model/decimal.ts';
import type { Instrument } from '../../model/instrument.ts';
import { MONEY_PLACES } from '../../model/margin.ts';
import { Bar, Depth, Funding, Mark, type MarketEvent, Quote, Ticker, Trade } from '../../model/market-events.ts';
import type { MarketView } from './market-view.ts';

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

/** One blockchain over which a coin moves; operation 1 shows it, nothing here uses it. */
export interface CoinChain {
  /** `undefined` for the single native chain. */
  readonly chain?: string | undefined;
  readonly needTag?: boolean | undefined;
  readonly withdraw?: boolean | undefined;
  readonly deposit?: boolean | undefined;
  /** Decimal text, in the coin. */
  readonly withdrawFee?: string | undefined;
  readonly minDeposit?: string | undefined;
  readonly minWithdraw?: string | undefined;
  /** Blocks. */
  readonly depositConfirmations?: number | undefined;
  readonly withdrawConfirmations?: number | undefined;
  readonly browserUrl?: string | undefined;
}

export interface Coin {
  readonly id: number;
  readonly name: string;
  /** Whether internal withdrawals of it are possible. */
  readonly transfer: boolean;
  readonly chains: readonly CoinChain[];
}

/** Ids of the real exchange, as far as they are known. */
const KNOWN_IDS: Readonly<Record<string, number>> = { BTC: 1, USDT: 2 };

/** The coins that are named, then those that instruments and balances mention, each with an id of its own. */
export function coinsOf(named: readonly Coin[], instruments: readonly Instrument[], mentioned: readonly string[]): Coin[] {
  const coins = [...named];
  const taken = new Set([...coins.map(({ id }) => id), ...Object.values(KNOWN_IDS)]);
  let next = 3;
  for (const name of [...instruments.flatMap(({ base, quote }) => [base, quote]), ...mentioned]) {
    if (coins.some((coin) => coin.name === name)) continue;
    while (taken.has(next)) next++;
    const id = KNOWN_IDS[name] ?? next;
    taken.add(id);
    coins.push({ id, name, transfer: true, chains: [{}] });
  }
  return coins;
}

const USDT = 'USDT';
const ONE = new Decimal(1);

/** The coin in which what was traded for several coins is added up: USDT, or where nothing trades for it the first quote. */
export function sumCoin(instruments: readonly Instrument[]): string {
  const quotes = instruments.map(({ quote }) => quote);
  return quotes.includes(USDT) ? USDT : (quotes[0] ?? USDT);
}

/**
 * What one `coin` is worth in another at the last price of an instrument between the two, whichever is its base;
 * `undefined` where there is none, or no price yet.
 */
export function worthOf(coin: string, other: string, views: readonly MarketView[]): Decimal | undefined {
  if (coin === other) return ONE;
  for (const { instrument, known, lastTicks } of views) {
    if (!known) continue;
    const { base, quote, tick } = instrument;
    if (base === coin && quote === other) return tick.toDecimal(lastTicks);
    if (base === other && quote === coin) return ONE.div(tick.toDecimal(lastTicks)).toDecimalPlaces(MONEY_PLACES);
  }
  return undefined;
}
