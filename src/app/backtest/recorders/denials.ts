import type { Side } from '../../../model/order.ts';
import type { Denial, DenialCode, Rejection } from '../../../model/reasons.ts';
import type { DeniedRow as CountedRow } from '../../../report/run-report.ts';

/** One row of denied.csv. */
export interface DeniedRow {
  readonly time: number;
  readonly by: 'risk' | 'venue';
  readonly strategyId: string;
  readonly symbol: string;
  /** Absent if the intent has no side. */
  readonly side: Side | undefined;
  readonly clientOrderId: string;
  readonly tag: string;
  readonly ref: string;
  readonly reason: Denial | Rejection;
}

/** Refusals of one kind. */
interface Group {
  readonly first: DeniedRow;
  newest: DeniedRow;
  /** The place of the newest among all refusals. */
  place: number;
  count: number;
}

/** Denials that a user wants: of pauses, trading windows and slots, and replacements that something else removed. They are no sign of too narrow limits. */
const WANTED: ReadonlySet<string> = new Set<DenialCode>([
  'symbolLocked',
  'coolingDown',
  'openPositionsAboveLimit',
  'outsideTradingWindow',
  'amendDropped',
  'groupRefused',
]);

/** Counts the refusals of a run by who refused, strategy, symbol, side and code. */
export class Denials {
  #count = 0;
  /** In the order of their first refusals. */
  readonly #groups = new Map<string, Group>();

  get count(): number {
    return this.#count;
  }
  /** Refusals of the risk module. */
  get byRisk(): number {
    return this.#ofRisk().reduce((sum, { count }) => sum + count, 0);
  }

  /** Those of them by pauses and slots. */
  get wanted(): number {
    return this.#ofRisk().reduce((sum, group) => sum + (WANTED.has(codeOf(group)) ? group.count : 0), 0);
  }

  /** Those of cancels and changes that named no order of the strategy. */
  get unknown(): number {
    return this.#ofRisk().reduce((sum, group) => sum + (codeOf(group) === 'orderUnknown' ? group.count : 0), 0);
  }

  add(row: DeniedRow): void {
    const place = this.#count++;
    const { by, strategyId, symbol, side, reason } = row;
    const key = `${by}/${strategyId}/${symbol}/${side ?? ''}/${reason.code}`;
    const known = this.#groups.get(key);
    if (known === undefined) this.#groups.set(key, { first: row, newest: row, place, count: 1 });
    else {
      known.count++;
      known.newest = row;
      known.place = place;
    }
  }

  /** One row for each strategy, symbol, side and code, with the newest numbers; the most frequent first. */
  rows(): readonly CountedRow[] {
    const keyOf = ({ first: { strategyId, symbol, side, reason } }: Group) => `${strategyId}/${symbol}/${side ?? ''}/${reason.code}`;
    const rows = joined([...this.#groups.values()], keyOf).map(({ first, newest, count }): CountedRow => {
      const { strategyId: strategy, symbol, side, reason } = newest;
      const example = numbersText(reason);
      return { code: reason.code, count, example, strategy, symbol, side, firstTime: first.time, lastTime: newest.time };
    });
    return rows.sort((a, b) => b.count - a.count);
  }

  byCode(): Record<string, number> {
    return Object.fromEntries(joined([...this.#groups.values()], codeOf).map(({ first, count }) => [first.reason.code, count]));
  }

  /** The newest reason of the most frequent code of the risk module, without pauses and slots; undefined if it refused nothing else. */
  mostFrequentOfLimits(): DeniedRow['reason'] | undefined {
    const groups = this.#ofRisk().filter((group) => !WANTED.has(codeOf(group)));
    return joined(groups, codeOf).sort((a, b) => b.count - a.count)[0]?.newest.reason;
  }

  #ofRisk(): Group[] {
    return [...this.#groups.values()].filter(({ first }) => first.by === 'risk');
  }
}

function codeOf({ first }: Group): string {
  return first.reason.code;
}

/** Groups with equal keys as one, in the order of their first refusals. */
function joined(groups: readonly Group[], keyOf: (group: Group) => string): Group[] {
  const all = new Map<string, Group>();
  for (const group of groups) {
    const known = all.get(keyOf(group));
    const newer = known === undefined || group.place > known.place ? group : known;
    const { newest, place } = newer;
    all.set(keyOf(group), { first: known?.first ?? group.first, newest, place, count: (known?.count ?? 0) + group.count });
  }
  return [...all.values()];
}

/** A reason's numbers as `name=value` texts. */
export function numbersText(reason: DeniedRow['reason']): string {
  const { code: _, details = {}, ...numbers } = reason as Denial;
  return Object.entries({ ...numbers, ...details })
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}
