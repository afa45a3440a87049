import type { Engine } from '../../../engine/engine.ts';
import type { Fill } from '../../../model/fill.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Bar, MarketEvent, QuoteRows } from '../../../model/market-events.ts';
import type { ReadonlyState } from '../../../state/state.ts';
import type { HeldGaps } from '../../../statistics/diagnosis/check.ts';
import { FillsInBars } from '../../../statistics/diagnosis/fills-in-bars.ts';
import { FinestPrices } from './price-tape.ts';

/** The time without a price from which single prices have a gap, in ms. */
const QUIET_MS = 300_000;

/**
 * Records the prices that the diagnosis needs: the bar of each fill, and the gaps while a position was held. It compares times for each
 * market event, and does more only at gaps and fills.
 */
export class DiagnosisRecorder {
  /** The interval of the shortest bars, if prices are bars. */
  readonly bars = new FillsInBars();
  readonly #gaps = new Map<string, HeldGaps>();
  readonly #finest = new FinestPrices();
  /** By the index of the instrument: the time of its newest price, and whether it was held then. */
  readonly #lastTimes: number[] = [];
  readonly #held: boolean[] = [];
  /** The interval of its bars; 0 for single prices. */
  readonly #intervals: number[] = [];
  /** The fills since then whose bar is not known yet; absent if there was no fill. */
  readonly #waiting: (Fill[] | undefined)[] = [];
  readonly #lastBars: (Bar | undefined)[] = [];

  observe(engine: Pick<Engine, 'watch' | 'account$'>, state: ReadonlyState): void {
    engine.watch(
      (event) => this.#add(event, state),
      (instrument, rows, from, to) => this.#addQuotes(instrument, rows, from, to, state),
    );
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
    const { instrument } = event;
    if (!this.#finest.has(instrument.index, event.kind === 'bar' ? event.intervalKey : 0)) return;
    const interval = event.kind === 'bar' ? event.intervalMs : 0;
    this.#pass(instrument, event.time, interval);
    if (event.kind === 'bar') this.#lastBars[instrument.index] = event;
    const waiting = this.#settle(instrument, state);
    if (event.kind === 'bar') for (const fill of waiting) this.bars.add(fill, event);
  }

  /** Nothing fills between the quotes of a run: only the first one can follow a fill. */
  #addQuotes(instrument: Instrument, { times }: QuoteRows, from: number, to: number, state: ReadonlyState): void {
    const { index } = instrument;
    if (from >= to || !this.#finest.has(index, 0)) return;
    this.#pass(instrument, times[from]!, 0);
    this.#settle(instrument, state);
    if (this.#held[index]) for (let row = from + 1; row < to; row++) this.#pass(instrument, times[row]!, 0);
    else this.#lastTimes[index] = times[to - 1]!;
  }

  /** The next price of an instrument is at this time. */
  #pass({ index, symbol }: Instrument, time: number, interval: number): void {
    const since = time - (this.#lastTimes[index] ?? time);
    this.#lastTimes[index] = time;
    this.#intervals[index] = interval;
    if (since > (interval === 0 ? QUIET_MS : interval) && this.#held[index]) this.#gap(symbol, time - since, since - interval);
  }

  #gap(symbol: string, from: number, lengthMs: number): void {
    this.#gaps.set(symbol, joined(this.#gaps.get(symbol), { symbol, count: 1, longestMs: lengthMs, longestFrom: from }));
  }

  #fill(fill: Fill): void {
    const { index } = fill.instrument;
    const last = this.#lastBars[index];
    // A fill at the close is reported after the bar, all others before it.
    const waiting = this.#waiting[index] ?? [];
    this.#waiting[index] = waiting;
    if (last?.sequence === fill.pricedSequence) this.bars.add(fill, last);
    else waiting.push(fill);
  }

  /** @returns the fills since the last price whose bar is not known yet. */
  #settle(instrument: Instrument, { books }: ReadonlyState): readonly Fill[] {
    const { index } = instrument;
    const waiting = this.#waiting[index];
    if (waiting === undefined) return NONE;
    this.#waiting[index] = undefined;
    this.#held[index] = [...books.values()].some((book) => book.sides(instrument).some(({ steps }) => steps !== 0));
    return waiting;
  }
}

const NONE: readonly Fill[] = [];

function joined(known: HeldGaps | undefined, gap: HeldGaps): HeldGaps {
  if (known === undefined) return gap;
  return { ...(gap.longestMs > known.longestMs ? gap : known), count: known.count + gap.count };
}
