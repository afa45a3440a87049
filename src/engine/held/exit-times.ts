import { Decimal, isDecimalText } from '../../model/decimal.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Exits } from '../../model/intents.ts';
import type { Side } from '../../model/order.ts';
import type { Denial } from '../../model/reasons.ts';
import { parseInterval } from '../../model/time.ts';
import { awayTicks } from '../../model/trail.ts';
import type { Clock } from '../../ports/clock.ts';

/** A profit that closes a position from an age on: ms after its fill, and millionths of its price. */
interface ProfitStep {
  readonly afterMs: number;
  readonly millionths: number;
}

/** Exits that depend on the age of a position. */
export interface ExitTimes {
  /** The age in ms at which it is closed at market. */
  readonly afterMs?: number | undefined;
  /** In place of a take profit: the youngest age first, which is 0. */
  readonly profitSteps?: readonly ProfitStep[] | undefined;
}

/** How time changes a held order. */
export interface Timed {
  /** Sent at the first price at or after this time, epoch ms, whatever the price is. */
  readonly dueAt?: number | undefined;
  isDue?: boolean | undefined;
  /** Limits from their times on, in order. */
  readonly schedule?: readonly { readonly at: number; readonly ticks: number }[] | undefined;
}

/** A held order as far as its times need it. */
interface TimedOrder extends Timed {
  readonly stage: string;
  readonly request: { readonly instrument: Instrument };
}

/** The limits of a position from this price and time. @param side that the exit executes. */
export function scheduleOf({ profitSteps }: ExitTimes, side: Side, fromTicks: number, fromTime: number): Timed['schedule'] {
  return profitSteps?.map(({ afterMs, millionths }) => ({
    at: fromTime + afterMs,
    ticks: awayTicks({ millionths }, side === 'sell' ? 1 : -1, fromTicks),
  }));
}

/** The limit that holds at this time. */
export function limitAt(schedule: NonNullable<Timed['schedule']>, time: number): number {
  return schedule.findLast(({ at }) => at <= time)?.ticks ?? schedule[0]!.ticks;
}

/** Reads `after` and `steps`; neither if they are not given. */
export function exitTimesOf({ after, steps, takeProfit }: Exits): ExitTimes | Denial {
  if (after === undefined && steps === undefined) return {};
  const afterMs = after === undefined ? undefined : durationOf(after);
  if (after !== undefined && !(afterMs! > 0))
    return invalid(`exits.after is a time such as 30m or 4h, or ms above 0, not ${String(after)}`);
  if (steps === undefined) return { afterMs };
  if (takeProfit !== undefined) return invalid('exits name takeProfit or steps, not both');
  if (!Array.isArray(steps) || steps.length === 0) return invalid('exits.steps is a list of { after, profit }');
  const read: ProfitStep[] = [];
  for (const { after: from, profit } of steps as NonNullable<Exits['steps']>) {
    const ms = durationOf(from);
    const valid = (typeof profit === 'number' ? Number.isFinite(profit) : isDecimalText(profit)) && Number(profit) > -1;
    if (ms === undefined || !valid)
      return invalid(`a step of exits has a time and a profit above -1, not ${String(from)} and ${String(profit)}`);
    read.push({ afterMs: ms, millionths: new Decimal(profit).times(1_000_000).ceil().toNumber() });
  }
  const ordered = read.every(({ afterMs: ms }, index) => (index === 0 ? ms === 0 : ms > read[index - 1]!.afterMs));
  return ordered
    ? { afterMs, profitSteps: read }
    : invalid("exits.steps begin with { after: '0m' }, and each step comes after the one before");
}

/** Milliseconds of `30m`, `0m` or a number of ms; `undefined` for anything else. */
function durationOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  if (typeof value !== 'string') return undefined;
  return /^0[smhdw]?$/.test(value) ? 0 : parseInterval(value);
}

function invalid(rule: string): Denial {
  return { code: 'orderInvalid', rule };
}

/** A new time: makes an order due, or gives it the limit of this time. @returns whether its limit has changed. */
export function advance(held: Timed & { triggerTicks: number }, time: number): boolean {
  if (held.dueAt !== undefined && time >= held.dueAt) held.isDue = true;
  if (held.schedule === undefined) return false;
  const ticks = limitAt(held.schedule, time);
  const moved = ticks !== held.triggerTicks;
  held.triggerTicks = ticks;
  return moved;
}

/** The next time at which the order changes; `undefined` if there is none. */
function nextChange({ dueAt, isDue, schedule }: Timed, now: number): number | undefined {
  const times = [
    ...(isDue === true || dueAt === undefined ? [] : [dueAt]),
    ...(schedule ?? []).map(({ at }) => at).filter((at) => at > now),
  ];
  return times.length === 0 ? undefined : Math.min(...times);
}

/**
 * Exits by age that go by the clock: on tickers, quotes, trades and order books, an exit is due at its time, and not with the next price.
 * On bars it waits for an open, as the time of a price inside a bar is not known.
 */
export class AgeClock<H extends TimedOrder> {
  /** Cancels the wait of each order. */
  readonly #waits = new Map<H, () => void>();
  /** Before the engine runs there are no turns: waits begin with the run. */
  #running = false;

  constructor(
    private readonly clock: Clock,
    /** Whether prices of the instrument are bars. */
    private readonly onBars: (instrument: Instrument) => boolean,
    /** The time of an order has come. */
    private readonly due: (held: H) => void,
  ) {}

  start(known: readonly H[]): void {
    this.#running = true;
    for (const held of known) if (held.stage === 'held') this.watch(held);
  }

  watch(held: H): void {
    if (held.dueAt === undefined && held.schedule === undefined) return;
    this.forget(held);
    const { instrument } = held.request;
    const at = nextChange(held, this.clock.now());
    if (!this.#running || at === undefined || this.onBars(instrument)) return;
    const wait = () => {
      this.#waits.delete(held);
      if (held.stage !== 'held' || this.onBars(instrument)) return;
      this.due(held);
      this.watch(held);
    };
    this.#waits.set(held, this.clock.schedule(Math.max(at, this.clock.now()), wait));
  }

  forget(held: H): void {
    this.#waits.get(held)?.();
    this.#waits.delete(held);
  }
}
