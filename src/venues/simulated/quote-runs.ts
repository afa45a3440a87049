import type { QuotesUnderWay } from '../../matching/book-matching.ts';
import type { MatchingEngine } from '../../matching/matching-engine.ts';
import type { Quote } from '../../model/market-events.ts';
import type * as feed from '../../ports/market-feed.ts';
import { QuoteSource, type RunTerms } from './quote-source.ts';
import type { DataSource } from './row-source.ts';

/** Quotes of several instruments as one run, in the order of their times. It ends before two of one time: those come together. */
export class QuoteBraid implements feed.QuoteBraid, QuotesUnderWay {
  readonly kind = 'braid';
  readonly strands: QuoteSource[] = [];
  /** Epoch ms of the next of each strand. */
  readonly #heads: number[] = [];
  #most = 0;
  #sequence = 0;
  /** How many quotes have come. */
  told = 0;

  constructor(private readonly terms: RunTerms) {}

  /**
   * @param strands at least two. @param bound epoch ms that it does not come to. @param most so many quotes.
   * @param sequence of the datum before.
   * @returns false where it would have no two quotes.
   */
  begin(strands: readonly QuoteSource[], bound: number, most: number, sequence: number): boolean {
    let until = bound;
    this.strands.length = 0;
    this.#heads.length = 0;
    for (let i = 0; i < strands.length; i++) {
      const strand = strands[i]!;
      until = Math.min(until, strand.join());
      this.strands.push(strand);
      this.#heads.push(strand.time);
    }
    this.terms.begin(until);
    this.#most = most;
    this.#sequence = sequence;
    this.told = 0;
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
    const strand = this.strands[first]!;
    if (other === time || this.told >= this.#most || strand.after() === time || !this.terms.goOn(time)) return OVER;
    heads[first] = strand.step(++this.#sequence);
    this.told++;
    return first;
  }

  nextQuote(): Quote | undefined {
    const at = this.next();
    if (at < 0) return undefined;
    const strand = this.strands[at]!;
    return strand.quoteAt(strand.nextRow() - 1);
  }

  stop(): void {
    this.terms.stop();
  }

  tellNewest(take: (quote: Quote) => void): void {
    for (const strand of this.strands) strand.tellNewest(take);
  }

  /** The braid is over: its sources stand at their next rows again. */
  finish(): void {
    for (const strand of this.strands) strand.finish();
  }

  /** The first quote and the second. */
  #comeBefore(until: number): boolean {
    let first = this.strands[0]!;
    let second = Number.POSITIVE_INFINITY;
    for (let i = 1; i < this.strands.length; i++) {
      const strand = this.strands[i]!;
      second = Math.min(second, Math.max(first.time, strand.time));
      if (strand.time < first.time) first = strand;
    }
    // The row after is one of the chunk only where the first is none that the braid must not come to.
    return first.time < until && Math.min(second, first.after()) < until;
  }
}

/** No strand. */
const OVER = -1;

/** Which quotes may come to the engine as a run: those that no order meets, of one instrument or of several. */
export class QuoteRuns {
  readonly #quotes: readonly QuoteSource[];
  readonly #braid: QuoteBraid;
  readonly #strands: QuoteSource[] = [];

  /** @param sources of the replay, all of them. */
  constructor(
    private readonly sources: readonly DataSource[],
    private readonly matching: MatchingEngine,
    private readonly terms: RunTerms,
  ) {
    this.#quotes = sources.filter((source) => source instanceof QuoteSource);
    this.#braid = new QuoteBraid(terms);
  }

  /**
   * @param first comes before all others. @param bound epoch ms at which another comes. @param most so many quotes.
   * @param sequence of the datum before.
   * @returns `undefined` where the next quote is to be told by itself.
   */
  begin(first: QuoteSource, bound: number, most: number, sequence: number): QuoteSource | QuoteBraid | undefined {
    const { quotes } = this.matching;
    if (!quotes.follows(first.instrument)) return undefined;
    const run = this.#braided(most, sequence) ?? (first.begin(this.terms, bound, most, sequence) ? first : undefined);
    if (run !== undefined) quotes.begin(run);
    return run;
  }

  #braided(most: number, sequence: number): QuoteBraid | undefined {
    if (this.#quotes.length < 2) return undefined;
    const { quotes } = this.matching;
    const strands = this.#strands;
    strands.length = 0;
    let bound = Number.POSITIVE_INFINITY;
    for (let i = 0; i < this.sources.length; i++) {
      const source = this.sources[i]!;
      if (source.time === Number.POSITIVE_INFINITY) continue;
      if (source instanceof QuoteSource && quotes.follows(source.instrument)) strands.push(source);
      else if (source.time < bound) bound = source.time;
    }
    return strands.length > 1 && this.#braid.begin(strands, bound, most, sequence) ? this.#braid : undefined;
  }
}
