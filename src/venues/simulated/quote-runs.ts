import type { MatchingEngine } from '../../matching/matching-engine.ts';
import type { DataSource } from './data-source.ts';
import { QuoteBraid } from './quote-braid.ts';
import { QuoteSource } from './quote-source.ts';
import type { RunTerms } from './run-terms.ts';

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
