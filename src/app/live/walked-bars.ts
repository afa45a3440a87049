import { type Bar, type MarketEvent, Ticker } from '../../model/market-events.ts';

/** A bar is replayed as this many prices, at equal distances from its open on. */
const PRICES = 4;

/**
 * Replaces each bar by four tickers: the open at its start, then the extreme that is nearer to the open, the other extreme, and the close,
 * after a quarter, a half and three quarters of its length. So a bot that polls more than four times a bar builds the same bar again.
 * @param opens for each instrument its events in order of time; a bar has the time of its close.
 * @returns the events of all instruments in order of time.
 */
export function walkedBars(opens: readonly (() => Iterator<MarketEvent>)[]): () => Generator<MarketEvent, void> {
  return () => merged(opens.map((open) => walked(open())));
}

/** The events of one instrument. Its bars do not overlap, so no later bar begins before one has closed. */
function* walked(events: Iterator<MarketEvent>): Generator<MarketEvent, void> {
  /** Events since the last bar, in order of time. */
  let waiting: MarketEvent[] = [];
  let count = 0;
  try {
    for (let next = events.next(); next.done !== true; next = events.next()) {
      const event = next.value;
      if (event.kind !== 'bar') {
        waiting.push(event);
        continue;
      }
      const start = event.time - event.intervalMs;
      for (const [index, ticks] of pathOf(event).entries()) {
        waiting.push(new Ticker(event.instrument, start + (event.intervalMs / PRICES) * index, ++count, ticks));
      }
      yield* waiting.sort((a, b) => a.time - b.time);
      waiting = [];
    }
    yield* waiting;
  } finally {
    events.return?.();
  }
}

/** Events of one time are in the order of the instruments. */
function* merged(sources: readonly Generator<MarketEvent, void>[]): Generator<MarketEvent, void> {
  const heads = sources.map((source) => ({ source, next: source.next() }));
  const timeOf = ({ next }: (typeof heads)[number]) => (next.done === true ? Number.POSITIVE_INFINITY : next.value.time);
  try {
    for (;;) {
      const first = heads.reduce((best, head) => (timeOf(head) < timeOf(best) ? head : best));
      if (first.next.done === true) return;
      yield first.next.value;
      first.next = first.source.next();
    }
  } finally {
    for (const { source } of heads) source.return();
  }
}

/** The prices of a bar in their order: the nearer extreme comes first, as at the local exchange. */
function pathOf({ openTicks, highTicks, lowTicks, closeTicks }: Bar): readonly number[] {
  const highFirst = highTicks - openTicks < openTicks - lowTicks;
  return highFirst ? [openTicks, highTicks, lowTicks, closeTicks] : [openTicks, lowTicks, highTicks, closeTicks];
}
