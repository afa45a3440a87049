import type { Rows } from '../../model/columns.ts';
import { DayZone } from '../../model/day-zone.ts';
import { ExactSum } from '../../model/decimal.ts';
import { periodOf } from '../returns/daily-returns.ts';
import type { ClosedTrade } from './trade.ts';
import { type FoldedTrade, foldedTrade, GroupFold } from './trade-groups.ts';

/** The keys that the trades of a run can be grouped by. */
export const BREAKDOWNS = ['symbol', 'strategy', 'side', 'tag', 'exitReason', 'hour', 'weekday', 'day', 'week', 'month', 'year'] as const;

export type BreakdownBy = (typeof BREAKDOWNS)[number];

/** The sums of one row of a breakdown, over its closed trades. */
export class BreakdownGroup {
  trades = 0;
  fills = 0;
  wins = 0;
  losses = 0;
  returns = 0;
  holdingMs = 0;
  readonly won = new ExactSum();
  readonly lost = new ExactSum();
  readonly fees = new ExactSum();
  readonly funding = new ExactSum();
  readonly volume = new ExactSum();

  add(trade: FoldedTrade): void {
    const { sign } = trade;
    this.trades++;
    this.fills += trade.fills;
    this.returns += trade.returnOnEntry;
    this.holdingMs += trade.holdingMs;
    if (sign > 0) {
      this.wins++;
      this.won.add(trade.netProfit);
    } else if (sign < 0) {
      this.losses++;
      this.lost.add(trade.netProfit);
    }
    this.fees.add(trade.fees);
    this.funding.add(trade.funding);
    this.volume.add(trade.volume);
  }
}

/** One breakdown while trades are added. */
class Table {
  readonly groups = new Map<string, BreakdownGroup>();

  constructor(private readonly keyOf: (trade: FoldedTrade) => string) {}

  add(trade: FoldedTrade): void {
    const key = this.keyOf(trade);
    let group = this.groups.get(key);
    if (group === undefined) {
      group = new BreakdownGroup();
      this.groups.set(key, group);
    }
    group.add(trade);
  }
}

/** The sums that statistics, breakdowns and findings use of the closed trades of a run. Each trade is added once, in order of exit. */
export class TradeFold {
  readonly groups = new GroupFold();
  readonly #tables: readonly Table[];

  constructor(dayZone: string | undefined) {
    const zone = new DayZone(dayZone);
    this.#tables = BREAKDOWNS.map((by) => new Table(keysOf(by, zone)));
  }

  add(closed: ClosedTrade): void {
    const trade = foldedTrade(closed);
    this.groups.add(trade);
    for (const table of this.#tables) table.add(trade);
  }

  /** The sums by key, in the order in which the keys came. */
  by(by: BreakdownBy): ReadonlyMap<string, BreakdownGroup> {
    return this.#tables[BREAKDOWNS.indexOf(by)]!.groups;
  }
}

const folds = new WeakMap<Rows<ClosedTrade>, TradeFold>();

/** Remembers the fold of trades that were added to it when they closed. */
export function rememberTrades(closed: Rows<ClosedTrade>, fold: TradeFold): void {
  folds.set(closed, fold);
}

/** The fold of a list of trades that no longer grows. They are read only if nothing has read them yet. */
export function tradeFoldOf(closed: Rows<ClosedTrade>, dayZone?: string): TradeFold {
  const known = folds.get(closed);
  if (known !== undefined) return known;
  const fold = new TradeFold(dayZone);
  for (const trade of closed) fold.add(trade);
  folds.set(closed, fold);
  return fold;
}

/** Returns the function that gives the row key of a closed trade. For times (in the zone), the last exit decides. */
function keysOf(by: BreakdownBy, zone: DayZone): (trade: FoldedTrade) => string {
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
function byDay(zone: DayZone, keyOf: (time: number) => string): (trade: FoldedTrade) => string {
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
