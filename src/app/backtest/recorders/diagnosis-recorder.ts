import type { Engine } from '../../../engine/engine.ts';
import type { Fill } from '../../../model/fill.ts';
import type { Bar, MarketEvent } from '../../../model/market-events.ts';
import type { ReadonlyState } from '../../../state/state.ts';
import type { BarAtFill, HeldGaps } from '../../../statistics/diagnosis/check.ts';
import { FinestPrices } from './price-tape.ts';

/** Without a price for longer, what comes as single prices has a gap. */
const QUIET_MS = 300_000;

/**
 * What the diagnosis asks of prices: the bar that each fill happened in, and the gaps while something was held. A
 * comparison of times for each market event, more at gaps and fills alone.
 */
export class DiagnosisRecorder {
  /** Of the finest bars, where prices come as bars. */
  readonly bars = new Map<Fill, BarAtFill>();
  readonly #gaps = new Map<string, HeldGaps>();
  readonly #finest = new FinestPrices();
  /** By the index of the instrument: when its newest price came, and whether some of it was held then. */
  readonly #lastTimes: number[] = [];
  readonly #held: boolean[] = [];
  /** Of its bars; 0 for single prices. */
  readonly #intervals: number[] = [];
  /** Filled since then. */
  readonly #waiting: (Fill[] | undefined)[] = [];
  readonly #lastBars: (Bar | undefined)[] = [];

  observe(engine: Pick<Engine, 'watch' | 'account$'>, state: ReadonlyState): void {
    engine.watch((event) => this.#add(event, state));
    engine.account$.subscribe((event) => {
      if (event.kind === 'orderFilled') this.#fill(event.fill);
    });
  }

  /** @param state at the end of the run: prices of an instrument may have stopped before it. */
  gapsOf({ markets, time }: Pick<ReadonlyState, 'markets' | 'time'>): HeldGaps[] {
    const ends = markets.flatMap(({ instrument: { index, symbol } }): HeldGaps[] => {
      const from = this.#lastTimes[index];
      if (from === undefined || !this.#held[index]) return [];
      const interval = this.#intervals[index] ?? 0;
      const since = time - from;
      if (since <= (interval === 0 ? QUIET_MS : interval)) return [];
      return [{ symbol, count: 1, longestMs: interval === 0 ? since : Math.floor(since / interval) * interval, longestFrom: from }];
    });
    const all = new Map(this.#gaps);
    for (const gap of ends) all.set(gap.symbol, joined(all.get(gap.symbol), gap));
    return [...all.values()];
  }

  #add(event: MarketEvent, state: ReadonlyState): void {
    if (event.kind === 'mark' || event.kind === 'funding') return;
    const interval = event.kind === 'bar' ? event.intervalMs : 0;
    const { index } = event.instrument;
    if (!this.#finest.has(index, interval)) return;
    const { time } = event;
    const since = time - (this.#lastTimes[index] ?? time);
    this.#lastTimes[index] = time;
    this.#intervals[index] = interval;
    if (since > (interval === 0 ? QUIET_MS : interval) && this.#held[index]) this.#gap(event.symbol, time - since, since - interval);
    if (event.kind === 'bar') this.#lastBars[index] = event;
    const waiting = this.#waiting[index];
    if (waiting !== undefined) this.#settle(event, waiting, state);
  }

  #gap(symbol: string, from: number, lengthMs: number): void {
    this.#gaps.set(symbol, joined(this.#gaps.get(symbol), { symbol, count: 1, longestMs: lengthMs, longestFrom: from }));
  }

  #fill(fill: Fill): void {
    const { index } = fill.instrument;
    const last = this.#lastBars[index];
    // A fill at the close is told after the bar, all others before it.
    if (last?.sequence === fill.pricedSequence) this.bars.set(fill, last);
    this.#waiting[index] = [...(this.#waiting[index] ?? []), fill];
  }

  #settle(event: MarketEvent, fills: readonly Fill[], { books }: ReadonlyState): void {
    const { instrument } = event;
    this.#waiting[instrument.index] = undefined;
    this.#held[instrument.index] = [...books.values()].some((book) => book.sides(instrument).some(({ steps }) => steps !== 0));
    if (event.kind !== 'bar') return;
    for (const fill of fills) if (!this.bars.has(fill)) this.bars.set(fill, event);
  }
}

function joined(known: HeldGaps | undefined, gap: HeldGaps): HeldGaps {
  if (known === undefined) return gap;
  return { ...(gap.longestMs > known.longestMs ? gap : known), count: known.count + gap.count };
}
