import type { Instrument } from '../../../model/instrument.ts';
import { Mark, type MarketEvent, Ticker } from '../../../model/market-events.ts';

interface Standing {
  readonly instrument: Instrument;
  ticker: Ticker | undefined;
  mark: Mark | undefined;
  shownTicks: number;
  shownMark: Mark | undefined;
}

/** Tickers, marks and funding of each instrument have a number of their own at each poll. */
const KINDS = 3;

/**
 * What polls show: the last price and the last mark of each instrument, where they have changed.
 *
 * A datum is numbered by the poll that can first show it, then by instrument and kind. So whatever has been shown is
 * never newer than what the exchange had, and a fill is never priced by older data than its order was decided on.
 */
export class PollBoard {
  readonly #standing: readonly Standing[];
  #polls = 0;

  constructor(instruments: readonly Instrument[]) {
    this.#standing = instruments.map((instrument) => ({
      instrument,
      ticker: undefined,
      mark: undefined,
      shownTicks: Number.NaN,
      shownMark: undefined,
    }));
  }

  /** The number of a datum that comes now. */
  sequence({ index }: Instrument, kind: 'ticker' | 'mark' | 'funding'): number {
    return this.#polls * this.#standing.length * KINDS + index * KINDS + (kind === 'ticker' ? 1 : kind === 'mark' ? 2 : 3);
  }

  /** The exchange has it from now. */
  take(event: MarketEvent): void {
    const standing = this.#standing[event.instrument.index]!;
    if (event.kind === 'ticker') standing.ticker = event;
    else if (event.kind === 'mark') standing.mark = event;
  }

  /** A poll at `time`: the changes, which bear its time. */
  poll(time: number): MarketEvent[] {
    const events: MarketEvent[] = [];
    for (const standing of this.#standing) {
      const { instrument, ticker, mark, shownTicks, shownMark } = standing;
      if (ticker !== undefined && ticker.lastTicks !== shownTicks) {
        standing.shownTicks = ticker.lastTicks;
        events.push(new Ticker(instrument, time, this.sequence(instrument, 'ticker'), ticker.lastTicks));
      }
      if (mark !== undefined && (mark.units !== shownMark?.units || mark.decimals !== shownMark.decimals)) {
        standing.shownMark = mark;
        events.push(new Mark(instrument, time, this.sequence(instrument, 'mark'), mark.units, mark.decimals));
      }
    }
    this.#polls++;
    return events;
  }
}
