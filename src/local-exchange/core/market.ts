import type { MatchingEngine } from '../../matching/matching-engine.ts';
import { Decimal } from '../../model/decimal.ts';
import { invariant } from '../../model/errors.ts';
import type { Fill } from '../../model/fill.ts';
import type { Instrument } from '../../model/instrument.ts';
import { Bar, Depth, Funding, Mark, type MarketEvent, Quote, Ticker, Trade } from '../../model/market-events.ts';
import { type DayReport, MarketView } from './market-view.ts';

/**
 * Handles prices: first matching, then the figures of the tickers.
 *
 * - Events have the exchange's own time and count, not those of the recording.
 * - A bar is replayed as four tickers at its close: open, the nearer extreme, the other extreme, close; margin is
 *   checked at each.
 * - Volume and trade counts come from trades, bars (one trade each), and the fills of the exchange's own accounts.
 */
export class Market {
  readonly views: readonly MarketView[];
  #sequence = 0;

  constructor(
    private readonly instruments: readonly Instrument[],
    private readonly matching: MatchingEngine,
    markMaxAgeMs: number,
  ) {
    this.views = instruments.map((instrument) => new MarketView(instrument, markMaxAgeMs));
  }

  view(instrument: Instrument): MarketView {
    const view = this.views[instrument.index];
    invariant(view?.instrument === instrument, 'every listed instrument has a market');
    return view;
  }

  /** All inputs of one time are applied before margin is checked. */
  take(inputs: readonly PriceInput[], time: number): void {
    for (const input of inputs) {
      const event = marketEvent(input, this.instruments, time, ++this.#sequence);
      this.#show(event);
      this.#match(event);
    }
    this.#liquidate(time);
  }

  /** An account's fill is a trade of this exchange. */
  traded({ instrument, time, steps, notional }: Fill): void {
    this.view(instrument).trade(time, steps, notional);
  }

  /** The source of the prices has sent its 24-hour figures. */
  report(report: DayReport, time: number): void {
    this.view(report.instrument).report = { ...report, time };
  }

  #liquidate(time: number): void {
    if (this.matching.marginDue) this.matching.liquidate(time);
  }

  #match(event: MarketEvent): void {
    switch (event.kind) {
      case 'ticker':
        this.matching.onTicker(event);
        break;
      case 'trade':
        this.matching.onTrade(event);
        break;
      case 'quote':
        this.matching.onQuote(event);
        break;
      case 'depth':
        this.matching.onDepth(event);
        break;
      case 'mark':
        this.matching.onMark(event);
        break;
      case 'funding':
        this.matching.onFunding(event);
        break;
      case 'bar':
        for (const ticks of walk(event)) {
          this.matching.onTicker(new Ticker(event.instrument, event.time, ++this.#sequence, ticks));
          this.#liquidate(event.time);
        }
    }
  }

  #show(event: MarketEvent): void {
    const view = this.view(event.instrument);
    const { instrument, time } = event;
    switch (event.kind) {
      case 'ticker':
        view.price(time, event.lastTicks);
        break;
      case 'trade':
        view.price(time, event.priceTicks);
        view.trade(time, event.steps, instrument.notional(event.priceTicks, event.steps));
        break;
      case 'quote':
        view.quote(time, event.bidTicks, event.askTicks);
        break;
      case 'depth':
        view.depth(event);
        break;
      case 'mark':
        view.mark(event);
        break;
      case 'funding':
        view.funding(event);
        break;
      case 'bar':
        for (const ticks of walk(event)) view.price(time, ticks);
        this.#volume(view, event);
    }
  }

  #volume(view: MarketView, { instrument, time, volume, closeTicks }: Bar): void {
    const steps = instrument.step.snap(volume, 'down') ?? 0;
    if (steps > 0) view.trade(time, steps, new Decimal(volume).times(instrument.tick.toDecimal(closeTicks)));
  }
}

function walk({ openTicks, highTicks, lowTicks, closeTicks }: Bar): number[] {
  const highFirst = highTicks - openTicks < openTicks - lowTicks;
  return highFirst ? [openTicks, highTicks, lowTicks, closeTicks] : [openTicks, lowTicks, highTicks, closeTicks];
}

/** A market event in the form of the state file: its kind, the instant (its index), and its numbers. */
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

/** The event of an input, at the exchange's own time and with its own count. */
function marketEvent(input: PriceInput, instruments: readonly Instrument[], time: number, sequence: number): MarketEvent {
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
