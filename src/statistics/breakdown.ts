import { DayZone } from '../model/day-zone.ts';
import { ExactSum, ratioOf } from '../model/decimal.ts';
import type { RecordedFill } from './fill-columns.ts';
import { type Period, periodOf, periodReturns } from './returns/daily-returns.ts';
import { feeWorth, type RunRecord, worthOf } from './run-record.ts';
import { type ClosedTrade, isLoss, isWin, type OpenTrade, type Trades } from './trades/trade.ts';

/** The keys that the trades of a run can be grouped by. */
export const BREAKDOWNS = ['symbol', 'strategy', 'side', 'tag', 'exitReason', 'hour', 'weekday', 'day', 'week', 'month', 'year'] as const;

type BrokenDown = Pick<RunRecord, 'startEquity' | 'dayEquity' | 'dayZone' | 'fills'>;

export type BreakdownBy = (typeof BREAKDOWNS)[number];

/**
 * One line of a breakdown. Money is decimal text. By symbol, strategy, side, tag and exit reason, `fees`, `funding` and `volume`
 * include trades that are still open, so that the columns sum to the run's totals. By tag, `fills`, `fees` and `volume` count each fill under
 * its own tag. All other columns count closed trades only.
 */
export interface BreakdownRow {
  /** The symbol, tag, day and so on. Trades without a tag have the empty text as key; open trades have the exit reason `open`. */
  readonly key: string;
  readonly trades: number;
  /** The fills of the row's trades; by tag, those with the tag. A fill that belongs to several trades counts in each. */
  readonly fills: number;
  readonly wins: number;
  readonly losses: number;
  /** Share of closed trades with a net profit above zero; null without a closed trade. */
  readonly winRate: number | null;
  readonly netProfit: string;
  readonly fees: string;
  /** Negative: paid. */
  readonly funding: string;
  readonly volume: string;
  /** Sum of wins over sum of losses; null without a loss. */
  readonly profitFactor: number | null;
  /** Mean of the trades' returns on entry; null without a closed trade. */
  readonly averageReturn: number | null;
  /** Mean, ms; null without a closed trade. */
  readonly averageHoldingMs: number | null;
  /** Return of the equity over the period; null but by day, week, month and year. */
  readonly equityReturn: number | null;
}

/** Every breakdown of a run. */
export function breakdowns(trades: Trades, record: BrokenDown): Record<BreakdownBy, BreakdownRow[]> {
  const rows = rowsOf(trades, BREAKDOWNS, record);
  return Object.fromEntries(BREAKDOWNS.map((by, index) => [by, rows[index]])) as Record<BreakdownBy, BreakdownRow[]>;
}

/**
 * One row per distinct key, in order of key. A trade's tag is that of its first entry fill; a tag of exits alone has a row of fills. By day, week, month and
 * year every one with market data has a row, whether a trade ended in it or not.
 */
export function breakdown(trades: Trades, by: BreakdownBy, record: BrokenDown): BreakdownRow[] {
  return rowsOf(trades, [by], record)[0]!;
}

/** Several breakdowns in one pass over the trades. */
function rowsOf(trades: Trades, kinds: readonly BreakdownBy[], record: BrokenDown): BreakdownRow[][] {
  const tables = kinds.map((by) => new Table(by, record));
  const ofLegs = (by: BreakdownBy) => trades.legs !== undefined && (by === 'symbol' || by === 'side');
  const sources = trades.legs === undefined ? [trades] : [trades, trades.legs];
  for (const [index, { closed, open }] of sources.entries()) {
    // A group has legs of several symbols and sides.
    const own = tables.filter(({ by }) => ofLegs(by) === (index === 1));
    for (const trade of closed) {
      const figures = figuresOf(trade);
      for (const table of own) table.close(trade, figures);
    }
    for (const trade of open) for (const table of own) table.add(trade);
  }
  const byTag = tables[kinds.indexOf('tag')];
  if (byTag !== undefined) for (const fill of record.fills) byTag.count(fill);
  return tables.map((table) => table.rows());
}

/** The figures of a closed trade for a row, read once for all breakdowns. */
interface ClosedFigures extends Pick<ClosedTrade, 'netProfit' | 'fees' | 'funding' | 'volume' | 'fills' | 'returnOnEntry' | 'holdingMs'> {
  /** 1 for a win, -1 for a loss, 0 for neither. */
  readonly sign: number;
}

function figuresOf(trade: ClosedTrade): ClosedFigures {
  const { netProfit, fees, funding, volume, fills, returnOnEntry, holdingMs } = trade;
  const sign = isWin({ netProfit }) ? 1 : isLoss({ netProfit }) ? -1 : 0;
  return { netProfit, fees, funding, volume, fills, returnOnEntry, holdingMs, sign };
}

/** One breakdown while its trades are counted. */
class Table {
  readonly #returns: ReadonlyMap<string, number | null>;
  readonly #groups: Map<string, Group>;
  readonly #keyOf: (trade: ClosedTrade) => string;

  constructor(
    readonly by: BreakdownBy,
    record: BrokenDown,
  ) {
    this.#returns = isPeriod(by) ? periodReturns(record, by) : new Map();
    this.#groups = new Map([...this.#returns.keys()].map((key) => [key, new Group()]));
    this.#keyOf = keysOf(by, new DayZone(record.dayZone));
  }

  close(trade: ClosedTrade, figures: ClosedFigures): void {
    this.#group(this.#keyOf(trade)).close(figures, this.by !== 'tag');
  }

  add(trade: OpenTrade): void {
    const key = openKeyOf(trade, this.by);
    if (key !== undefined) this.#group(key).add(trade, this.by !== 'tag');
  }

  /** A fill in the row of its tag. */
  count(fill: RecordedFill): void {
    this.#group(fill.tag).count(fill);
  }

  rows(): BreakdownRow[] {
    const inOrder = [...this.#groups].sort(([a], [b]) => (a < b ? -1 : 1));
    return inOrder.map(([key, group]) => group.row(key, this.#returns.get(key) ?? null));
  }

  #group(key: string): Group {
    const known = this.#groups.get(key);
    if (known !== undefined) return known;
    const made = new Group();
    this.#groups.set(key, made);
    return made;
  }
}

/** The sums of one row, made in one pass over the trades. */
class Group {
  #trades = 0;
  #fills = 0;
  #wins = 0;
  #losses = 0;
  #returns = 0;
  #holdingMs = 0;
  readonly #won = new ExactSum();
  readonly #lost = new ExactSum();
  readonly #fees = new ExactSum();
  readonly #funding = new ExactSum();
  readonly #volume = new ExactSum();

  /** @param withFills whether the row has the fills of its trades. */
  close(trade: ClosedFigures, withFills: boolean): void {
    const { sign } = trade;
    this.#trades++;
    this.#returns += trade.returnOnEntry;
    this.#holdingMs += trade.holdingMs;
    if (sign > 0) {
      this.#wins++;
      this.#won.add(trade.netProfit);
    } else if (sign < 0) {
      this.#losses++;
      this.#lost.add(trade.netProfit);
    }
    this.add(trade, withFills);
  }

  /** Adds the figures that open trades also have. */
  add({ fees, funding, volume, fills }: ClosedFigures | OpenTrade, withFills: boolean): void {
    this.#funding.add(funding);
    if (!withFills) return;
    this.#fills += fills;
    this.#fees.add(fees);
    this.#volume.add(volume);
  }

  count(fill: RecordedFill): void {
    this.#fills++;
    this.#fees.add(feeWorth(fill, fill.rate));
    this.#volume.add(worthOf(fill.notional, fill.rate));
  }

  row(key: string, equityReturn: number | null): BreakdownRow {
    const trades = this.#trades;
    const none = trades === 0;
    const [won, lost] = [this.#won.total, this.#lost.total];
    return {
      key,
      trades,
      fills: this.#fills,
      wins: this.#wins,
      losses: this.#losses,
      winRate: none ? null : this.#wins / trades,
      netProfit: won.plus(lost).toFixed(),
      fees: this.#fees.total.toFixed(),
      funding: this.#funding.total.toFixed(),
      volume: this.#volume.total.toFixed(),
      profitFactor: lost.isZero() ? null : ratioOf(won, lost.neg()),
      averageReturn: none ? null : this.#returns / trades,
      averageHoldingMs: none ? null : this.#holdingMs / trades,
      equityReturn,
    };
  }
}

export function isPeriod(by: BreakdownBy): by is Period {
  return by === 'day' || by === 'week' || by === 'month' || by === 'year';
}

/** An open trade belongs to no hour and no day. */
function openKeyOf(trade: OpenTrade, by: BreakdownBy): string | undefined {
  if (by === 'symbol' || by === 'side' || by === 'tag') return trade[by];
  if (by === 'strategy') return trade.strategyId;
  return by === 'exitReason' ? 'open' : undefined;
}

/** Returns the function that gives the row key of a closed trade. For times (in the zone), the last exit decides. */
function keysOf(by: BreakdownBy, zone: DayZone): (trade: ClosedTrade) => string {
  switch (by) {
    case 'symbol':
    case 'side':
    case 'tag':
    case 'exitReason':
      return (trade) => trade[by];
    case 'strategy':
      return ({ strategyId }) => strategyId;
    case 'hour':
      return ({ exitTime }) => zone.hourOf(exitTime);
    default:
      return byDay(zone, by === 'weekday' ? (time) => weekdayOf(zone.dateOf(time)) : (time) => periodOf(time, by, zone));
  }
}

/** Trades of one day follow each other: the text of a day is made once. */
function byDay(zone: DayZone, keyOf: (time: number) => string): (trade: ClosedTrade) => string {
  let day = Number.NaN;
  let key = '';
  return ({ exitTime }) => {
    const own = zone.endOf(exitTime + 1);
    if (own !== day) [day, key] = [own, keyOf(exitTime)];
    return key;
  };
}

function weekdayOf(date: string): string {
  const day = new Date(date).getUTCDay();
  return `${day === 0 ? 7 : day} ${WEEKDAYS[day]}`;
}

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
