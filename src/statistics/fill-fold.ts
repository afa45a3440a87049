import { DayZone } from '../model/day-zone.ts';
import { type Decimal, ExactSum, toDouble } from '../model/decimal.ts';
import type { Instrument } from '../model/instrument.ts';
import type { RecordedFill } from './fill-columns.ts';
import { feeWorth, type RunRecord, worthOf } from './run-record.ts';

/** The sums of some fills, in the run's currency. */
export class FillSums {
  count = 0;
  readonly #fees = new ExactSum();
  readonly #volume = new ExactSum();

  get fees(): Decimal {
    return this.#fees.total;
  }

  get volume(): Decimal {
    return this.#volume.total;
  }

  add(fee: Decimal, worth: Decimal): void {
    this.count++;
    this.#fees.add(fee);
    this.#volume.add(worth);
  }
}

type Folded = Pick<RunRecord, 'fills' | 'dayZone'>;

/** The sums that statistics, breakdowns and findings use of the fills of a run. Each fill is read once. */
export class FillFold {
  readonly all = new FillSums();
  /** By the tag of the fill. */
  readonly byTag = new Map<string, FillSums>();
  /** The time of each strategy's first fill, in the order of these fills. */
  readonly firstOf = new Map<string, number>();
  /** Fills of orders that took, without liquidations, by symbol. */
  readonly takers = new Map<string, FillSums>();
  /** The quote that was traded on a day (its END, epoch ms). */
  readonly days = new Map<Instrument, Map<number, number>>();
  readonly #zone: DayZone;

  constructor(dayZone: string | undefined) {
    this.#zone = new DayZone(dayZone);
  }

  /** @param notional in quote. @param fee in the run's currency. */
  add(fill: RecordedFill, notional: Decimal, fee: Decimal): void {
    const worth = worthOf(notional, fill.rate);
    this.all.add(fee, worth);
    if (!this.firstOf.has(fill.strategyId)) this.firstOf.set(fill.strategyId, fill.time);
    sumsOf(this.byTag, fill.tag).add(fee, worth);
    if (fill.liquidity === 'taker' && !fill.liquidated) sumsOf(this.takers, fill.symbol).add(fee, worth);
    this.#addToDay(fill, notional);
  }

  #addToDay({ instrument, atOpen, time }: RecordedFill, notional: Decimal): void {
    let days = this.days.get(instrument);
    if (days === undefined) {
      days = new Map();
      this.days.set(instrument, days);
    }
    // A day is (midnight, midnight], and a bar's volume belongs to the day of its close.
    const day = this.#zone.endOf(atOpen ? time + 1 : time);
    days.set(day, (days.get(day) ?? 0) + toDouble(notional));
  }
}

function sumsOf(sums: Map<string, FillSums>, key: string): FillSums {
  let own = sums.get(key);
  if (own === undefined) {
    own = new FillSums();
    sums.set(key, own);
  }
  return own;
}

const folds = new WeakMap<Folded['fills'], FillFold>();

/** Remembers the fold of fills that were read for something else. */
export function rememberFills(fills: Folded['fills'], fold: FillFold): void {
  folds.set(fills, fold);
}

/** The fold of the fills of a run. They are read only if nothing has read them yet. */
export function fillFoldOf({ fills, dayZone }: Folded): FillFold {
  const known = folds.get(fills);
  if (known !== undefined) return known;
  const fold = new FillFold(dayZone);
  for (const fill of fills) fold.add(fill, fill.notional, feeWorth(fill, fill.rate));
  folds.set(fills, fold);
  return fold;
}
