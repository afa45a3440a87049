import type { RunStarted } from '../../../journal/journal-record.ts';
import type { AccountEvent } from '../../../model/account-events.ts';
import { type Decimal, ZERO } from '../../../model/decimal.ts';
import { TidegateError } from '../../../model/errors.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { MarketEvent } from '../../../model/market-events.ts';
import { resumeState } from '../../../state/apply.ts';
import { State } from '../../../state/state.ts';
import { loadConfig } from '../../config/load-config.ts';
import { plannedAccount, plannedInstruments } from '../../planning/planned-account.ts';
import type { Series } from '../api/journal-schemas.ts';

/** Points of a chart: at twice as many, every second one is dropped. */
const POINTS = 2_000;
/** The time between two points at first, in ms. */
const EVERY_MS = 10_000;
/** A bot that was away for so long has a hole in its chart, in ms. */
const HOLE_MS = 300_000;
const DAY_MS = 86_400_000;
/** Digits of a profit, as in the status. */
const PLACES = 8;

type Shown = Pick<Series, 'currency' | 'times' | 'equity' | 'drawdown' | 'days' | 'total'>;

/** The instruments, strategies and account of a bot, from the config in its journal: it loads no strategy. @throws TidegateError */
export function seriesOf({ config, strategies }: RunStarted): EquitySeries {
  if (config === undefined) throw new TidegateError('USAGE', 'the journal has no config: it was written by an earlier version');
  const loaded = loadConfig(config.file, { withoutBacktest: true, set: ['live.enabled=false'], text: config.text });
  const instruments = plannedInstruments(loaded.config);
  return new EquitySeries(
    instruments,
    strategies.map(({ id }) => id),
    plannedAccount(loaded.config),
  );
}

/** Equity, its fall and the profit by day, computed from the events of a journal by the state of the bot itself. */
export class EquitySeries {
  readonly #state: State;
  readonly #currency: string;
  #everyMs = EVERY_MS;
  #times: number[] = [];
  #equity: (number | null)[] = [];
  #drawdown: (number | null)[] = [];
  #peak = Number.NEGATIVE_INFINITY;
  /** The deepest fall since the last point. */
  #deepest = 0;
  #nextPoint = 0;
  #lastTime = 0;
  #day: { readonly start: number; readonly before: Decimal; fills: number } | undefined;
  readonly #days: { day: string; profit: Decimal; fills: number }[] = [];

  constructor(
    readonly instruments: readonly Instrument[],
    strategies: readonly string[],
    account: ConstructorParameters<typeof State>[2],
  ) {
    this.#state = new State(instruments, strategies, account, { profit: true });
    this.#currency = account.currency;
  }

  /** Takes the next event, at the time of its record. */
  take(time: number, event: MarketEvent | AccountEvent): void {
    const day = Math.floor(time / DAY_MS);
    // The record of a reply may be a little older than the one before it.
    if (this.#day === undefined || day * DAY_MS > this.#day.start) this.#endDay(day * DAY_MS);
    if (time > this.#lastTime + HOLE_MS && this.#times.length > 0) this.#add(this.#lastTime + 1, null, null);
    this.#lastTime = Math.max(this.#lastTime, time);
    resumeState(this.#state, [event]);
    if (event.kind === 'orderFilled') this.#day!.fills++;
    this.#sample(time, event.kind === 'orderFilled');
  }

  /** The series up to now, with the open day. */
  get shown(): Shown {
    const profit = this.#profit();
    const open = this.#day === undefined ? [] : [dayOf(this.#day, profit)];
    const days = [...this.#days, ...open].map((one) => ({ ...one, profit: one.profit.toFixed() }));
    const last = Number.isFinite(this.#state.portfolio.equity) && this.#times.length > 0;
    const now = last ? { time: this.#lastTime, equity: this.#state.portfolio.equity, drawdown: this.#fall() } : undefined;
    return {
      currency: this.#currency,
      times: [...this.#times, ...(now ? [now.time] : [])],
      equity: [...this.#equity, ...(now ? [now.equity] : [])],
      drawdown: [...this.#drawdown, ...(now ? [now.drawdown] : [])],
      days,
      total: profit.toFixed(),
    };
  }

  #profit(): Decimal {
    return (this.#state.traded?.profit() ?? ZERO).toDecimalPlaces(PLACES);
  }

  #endDay(start: number): void {
    const profit = this.#profit();
    if (this.#day !== undefined) this.#days.push(dayOf(this.#day, profit));
    this.#day = { start, before: profit, fills: 0 };
  }

  #fall(): number {
    const { equity } = this.#state.portfolio;
    return this.#peak > 0 ? Math.max(0, (this.#peak - equity) / this.#peak) : 0;
  }

  #sample(time: number, isFill: boolean): void {
    const { equity } = this.#state.portfolio;
    if (!Number.isFinite(equity)) return;
    this.#peak = Math.max(this.#peak, equity);
    this.#deepest = Math.max(this.#deepest, this.#fall());
    if (time < this.#nextPoint && !(isFill && this.#times.length === 0)) return;
    this.#add(time, equity, this.#deepest);
    this.#deepest = 0;
    this.#nextPoint = time + this.#everyMs;
  }

  #add(time: number, equity: number | null, drawdown: number | null): void {
    this.#times.push(time);
    this.#equity.push(equity);
    this.#drawdown.push(drawdown);
    if (this.#times.length < 2 * POINTS) return;
    this.#everyMs *= 2;
    // Holes stay, and of two falls the deeper one.
    const kept = this.#times.map((_, index) => index % 2 === 1 || this.#equity[index] === null);
    for (const [index, fall] of this.#drawdown.entries()) {
      const next = this.#drawdown[index + 1];
      if (!kept[index] && typeof fall === 'number' && typeof next === 'number') this.#drawdown[index + 1] = Math.max(fall, next);
    }
    this.#times = this.#times.filter((_, index) => kept[index]);
    this.#equity = this.#equity.filter((_, index) => kept[index]);
    this.#drawdown = this.#drawdown.filter((_, index) => kept[index]);
  }
}

function dayOf({ start, before, fills }: { readonly start: number; readonly before: Decimal; readonly fills: number }, profit: Decimal) {
  return { day: new Date(start).toISOString().slice(0, 'yyyy-mm-dd'.length), profit: profit.minus(before), fills };
}
