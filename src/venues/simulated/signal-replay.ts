import type { SignalReceived, SignalValue } from '../../model/signal.ts';
import type { Clock } from '../../ports/clock.ts';

/** The recorded signals of one name, in the order of their times. */
export interface RecordedSignals {
  readonly name: string;
  /** The names of the columns. */
  readonly columns: readonly string[];
  /** Epoch ms of each row. */
  readonly sourceTimes: ArrayLike<number>;
  /** How long after this time strategies receive a row, in ms. */
  readonly delayMs: number;
  readonly symbols: readonly (string | undefined)[];
  /** By column, then by row. */
  readonly values: readonly (readonly SignalValue[])[];
  /** SHA-256 of the rows, in hex; absent if they were made in memory. */
  readonly sha256?: string | undefined;
}

/** The next row of one series. */
interface Cursor {
  readonly signals: RecordedSignals;
  row: number;
}

/**
 * Replays recorded signals on the simulated clock: each at its time plus the delay, and never before. At one time they come after prices and
 * arrivals of orders, among the timers. Rows of one time come in the order of the config, then of their series, and in one turn. Rows before
 * the start are left out; rows after the last price are never due.
 * @param startTime epoch ms of the first price.
 * @param publish passes the event to the engine, whose turn follows.
 */
export function replaySignals(
  series: readonly RecordedSignals[],
  clock: Clock,
  startTime: number,
  publish: (event: SignalReceived) => void,
): void {
  const cursors: Cursor[] = series.map((signals) => ({ signals, row: 0 }));
  for (const cursor of cursors) while (timeOf(cursor) < startTime) cursor.row++;
  const next = () => Math.min(...cursors.map(timeOf));
  const schedule = () => {
    const time = next();
    if (time === Number.POSITIVE_INFINITY) return;
    clock.schedule(time, () => {
      for (const cursor of cursors) while (timeOf(cursor) === time) publish(take(cursor, time));
      schedule();
    });
  };
  schedule();
}

/** Epoch ms at which strategies receive the next row; `Infinity` after the last. */
function timeOf({ signals: { sourceTimes, delayMs }, row }: Cursor): number {
  return row < sourceTimes.length ? sourceTimes[row]! + delayMs : Number.POSITIVE_INFINITY;
}

function take(cursor: Cursor, time: number): SignalReceived {
  const { signals, row } = cursor;
  cursor.row++;
  const { name, columns, sourceTimes, symbols, values } = signals;
  const symbol = symbols[row];
  return {
    kind: 'signalReceived',
    time,
    name,
    ...(symbol !== undefined && { symbol }),
    sourceTime: sourceTimes[row]!,
    values: Object.fromEntries(columns.map((column, index) => [column, values[index]![row]!])),
  };
}
