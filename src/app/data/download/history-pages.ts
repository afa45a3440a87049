import type { History, HistoryRow } from './history.ts';

export interface HistorySpan {
  /** Where it begins, epoch ms; what is older is passed over. */
  readonly from: number;
  /** Where it ends, epoch ms, exclusive. */
  readonly to: number;
  /** Ids of the rows at `from` that are there already. */
  readonly known: ReadonlySet<string>;
}

/** A page's rows that are new, and where the next page begins. */
export interface HistoryPage {
  readonly rows: readonly HistoryRow[];
  readonly next: number;
  /** The page was full of rows of one time: what else bore that time is lost. */
  readonly overfull: boolean;
}

/**
 * The new rows of a history, page after page, in time order and each once. The next page begins at the last row's time, again,
 * where rows can share one; a page without news moves on by what it covers.
 */
export async function* historyPages(history: History, span: HistorySpan): AsyncGenerator<HistoryPage> {
  let since = span.from;
  let known = new Set(span.known);
  while (since < span.to) {
    const page = await history.fetch(since);
    const ahead = page.filter(({ time }) => time >= since).sort((a, b) => a.time - b.time);
    const rows = ahead.filter(
      ({ time, id }, index) => time < span.to && isNew(history, known, since, time, id) && !repeats(ahead, index, history),
    );
    const overfull =
      rows.length === 0 && history.crowded && page.length > 0 && page.length === history.limit && ahead.at(-1)?.time === since;
    const last = rows.at(-1);
    if (last !== undefined) {
      const next = last.time + history.stepMs;
      const there = next === since ? known : new Set<string>();
      known = new Set([...there, ...rows.filter(({ time }) => time === last.time).map(({ id }) => id)]);
      since = next;
    } else {
      since += overfull ? 1 : history.windowMs;
      known = new Set();
    }
    // What lies beyond the end says that there is nothing more before it.
    if (ahead.some(({ time }) => time >= span.to)) since = span.to;
    yield { rows, next: since, overfull };
  }
}

function isNew(history: History, known: ReadonlySet<string>, since: number, time: number, id: string): boolean {
  return !(history.crowded && time === since && known.has(id));
}

/** True for a second row of a time that can have only one. */
function repeats(rows: readonly HistoryRow[], index: number, history: History): boolean {
  return !history.crowded && index > 0 && rows[index - 1]!.time === rows[index]!.time;
}
