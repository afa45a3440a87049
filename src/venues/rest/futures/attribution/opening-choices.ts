import type { Decimal } from '../../../../model/decimal.ts';
import type { HiddenOpening } from '../picture/unlisted.ts';
import { sized } from '../sums/fit-opening.ts';

/** What may have been opened together: of each contract so much. */
export type Choice = readonly HiddenOpening[];

/** How far what orders are reckoned to be worth may lie from what was traded, as a share. */
export const NEAR = 0.02;
/** Ranks choices that are worth less than what was traded behind all others. */
export const TOO_LITTLE = 1e9;

/** What is certain, with all or nothing of each of the others. */
export function choicesOf(
  certain: readonly HiddenOpening[],
  open: readonly HiddenOpening[],
  explained: ReadonlyMap<string, number>,
): Choice[] {
  return Array.from({ length: 2 ** open.length }, (_, bits) =>
    together([...certain, ...open.filter((_one, index) => (bits >> index) & 1)], explained),
  );
}

/** The choice whose worth lies nearest to the value, ranked below `farthest`; none where there is none. */
export function nearest(choices: readonly Choice[], value: Decimal, farthest: number): Choice {
  const wanted = value.toNumber();
  let best: Choice = [];
  let least = farthest;
  for (const choice of choices) {
    if (choice.length === 0) continue;
    const ratio = choice.reduce((sum, { estimate }) => sum + estimate.toNumber(), 0) / wanted;
    const near = Math.abs(ratio - 1);
    // Orders may have filled in part, but not more than they asked for.
    const away = near < NEAR ? near : ratio > 1 ? ratio : TOO_LITTLE / ratio;
    if (away >= least) continue;
    least = away;
    best = choice;
  }
  return best;
}

/** Whether a whole number of steps of it, at about the prices that its orders name, is worth so much. */
export function isWorth(choice: Choice, value: Decimal): boolean {
  const [only] = choice;
  if (only === undefined || choice.length > 1) return choice.length > 1;
  const share = value.div(only.estimate).toNumber();
  const steps = Math.min(only.steps, Math.round(only.steps * share));
  return steps > 0 && Math.abs((only.steps * share) / steps - 1) < NEAR;
}

/** No more than these steps, but what lists have shown. */
export function cutTo(steps: number, opening: HiddenOpening): HiddenOpening {
  const most = Math.max(steps, opening.shown ?? 0);
  return opening.steps > most ? sized(opening, most) : opening;
}

export function isSome({ steps }: HiddenOpening): boolean {
  return steps > 0;
}

/** By contract, less what these orders have opened otherwise. */
function together(openings: readonly HiddenOpening[], explained: ReadonlyMap<string, number>): HiddenOpening[] {
  const bySymbol = new Map<string, HiddenOpening>();
  for (const { symbol, orderId, steps, shown = 0, estimate } of openings) {
    const sum = bySymbol.get(symbol);
    // One order's is its own; several of one contract are nobody's yet.
    const whose = orderId !== undefined && (sum === undefined || sum.orderId === orderId) ? { orderId } : {};
    const both = { steps: steps + (sum?.steps ?? 0), shown: shown + (sum?.shown ?? 0), estimate: estimate.plus(sum?.estimate ?? 0) };
    bySymbol.set(symbol, { symbol, ...whose, ...both });
  }
  return [...bySymbol.values()].flatMap(({ symbol, steps, shown = 0, estimate, ...whose }) => {
    const known = explained.get(symbol) ?? 0;
    const left = steps - known;
    return left > 0
      ? [{ symbol, ...whose, steps: left, shown: Math.max(0, shown - known), estimate: estimate.times(left).div(steps) }]
      : [];
  });
}
