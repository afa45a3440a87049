import type { QuotesUnderWay } from '../../matching/book-matching.ts';
import type { MatchingEngine } from '../../matching/matching-engine.ts';
import type { Quote } from '../../model/market-events.ts';
import type * as feed from '../../ports/market-feed.ts';
import { QuoteSource, type RunTerms } from './quote-source.ts';
import type { DataSource } from './row-source.ts';

/**
 * Quotes of several instruments as one run, in order of time. It ends before two quotes with the same time: those are delivered together.
 */
export class MergedQuoteRun implements feed.MergedQuoteRun, QuotesUnderWay {
  readonly kind = 'mergedRun';
  readonly streams: QuoteSource[] = [];
  /** Epoch ms of the next quote of each stream. */
  readonly #heads: number[] = [];
  #most = 0;
  #sequence = 0;
  /** Number of delivered quotes. */
  delivered = 0;

  constructor(private readonly terms: RunTerms) {}

  /**
   * @param streams at least two.
   * @param bound epoch ms before which the run ends.
   * @param most the largest number of quotes.
   * @param sequence of the previous event.
   * @returns false where the run would have fewer than two quotes.
   */
  begin(streams: readonly QuoteSource[], bound: number, most: number, sequence: number): boolean {
    let until = bound;
    this.streams.length = 0;
    this.#heads.length = 0;
    for (let i = 0; i < streams.length; i++) {
      const stream = streams[i]!;
      until = Math.min(until, stream.join());
      this.streams.push(stream);
      this.#heads.push(stream.time);
    }
    this.terms.begin(until);
    this.#most = most;
    this.#sequence = sequence;
    this.delivered = 0;
    return this.#comeBefore(until);
  }

  next(): number {
    const heads = this.#heads;
    let first = 0;
    let time = heads[0]!;
    let other = Number.POSITIVE_INFINITY;
    for (let i = 1; i < heads.length; i++) {
      const head = heads[i]!;
      if (head < time) {
        other = time;
        time = head;
        first = i;
      } else if (head < other) {
        other = head;
      }
    }
    const stream = this.streams[first]!;
    if (other === time || this.delivered >= this.#most || stream.after() === time || !this.terms.goOn(time)) return OVER;
    heads[first] = stream.step(++this.#sequence);
    this.delivered++;
    return first;
  }

  nextQuote(): Quote | undefined {
    const at = this.next();
    if (at < 0) return undefined;
    const stream = this.streams[at]!;
    return stream.quoteAt(stream.nextRow() - 1);
  }

  stop(): void {
    this.terms.stop();
  }

  takeNewest(take: (quote: Quote) => void): void {
    for (const stream of this.streams) stream.takeNewest(take);
  }

  /** The merged run is over: its sources continue at their next rows. */
  finish(): void {
    for (const stream of this.streams) stream.finish();
  }

  /** Whether the first and the second quote come before `until`. */
  #comeBefore(until: number): boolean {
    let first = this.streams[0]!;
    let second = Number.POSITIVE_INFINITY;
    for (let i = 1; i < this.streams.length; i++) {
      const stream = this.streams[i]!;
      second = Math.min(second, Math.max(first.time, stream.time));
      if (stream.time < first.time) first = stream;
    }
    // The next row is in the chunk only if the first quote comes before the end of the run.
    return first.time < until && Math.min(second, first.after()) < until;
  }
}

/** No stream. */
const OVER = -1;

/** Decides which quotes can be delivered to the engine as a run: quotes that no order needs, of one instrument or of several. */
export class QuoteRuns {
  readonly #quotes: readonly QuoteSource[];
  readonly #merged: MergedQuoteRun;
  readonly #streams: QuoteSource[] = [];

  /** @param sources all sources of the replay. */
  constructor(
    private readonly sources: readonly DataSource[],
    private readonly matching: MatchingEngine,
    private readonly terms: RunTerms,
  ) {
    this.#quotes = sources.filter((source) => source instanceof QuoteSource);
    this.#merged = new MergedQuoteRun(terms);
  }

  /**
   * @param first the source that comes first.
   * @param bound epoch ms of the next event of another source.
   * @param most the largest number of quotes.
   * @param sequence of the previous event.
   * @returns `undefined` where the next quote must be delivered alone.
   */
  begin(first: QuoteSource, bound: number, most: number, sequence: number): QuoteSource | MergedQuoteRun | undefined {
    const { quotes } = this.matching;
    if (!quotes.follows(first.instrument)) return undefined;
    const run = this.#mergedRun(most, sequence) ?? (first.begin(this.terms, bound, most, sequence) ? first : undefined);
    if (run !== undefined) quotes.begin(run);
    return run;
  }

  #mergedRun(most: number, sequence: number): MergedQuoteRun | undefined {
    if (this.#quotes.length < 2) return undefined;
    const { quotes } = this.matching;
    const streams = this.#streams;
    streams.length = 0;
    let bound = Number.POSITIVE_INFINITY;
    for (let i = 0; i < this.sources.length; i++) {
      const source = this.sources[i]!;
      if (source.time === Number.POSITIVE_INFINITY) continue;
      if (source instanceof QuoteSource && quotes.follows(source.instrument)) streams.push(source);
      else if (source.time < bound) bound = source.time;
    }
    return streams.length > 1 && this.#merged.begin(streams, bound, most, sequence) ? this.#merged : undefined;
  }
}
