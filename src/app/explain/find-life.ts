import { TidegateError } from '../../model/errors.ts';
import { nearest } from '../config/reading/nearest.ts';
import type { IntentLife, Lives, OrderLife, ToldRun } from './lives.ts';

/** Most ids that an error lists. */
const LISTED = 8;

/**
 * What an id names: a client order id or its beginning, the exchange's id of an order, or the number of an intent's record
 * (line), with or without `#`.
 * @throws TidegateError USAGE for one that names nothing, or several; near ones are named.
 */
export function findLife(lives: Lives, id: string, { unit, source }: Pick<ToldRun, 'unit' | 'source'>): IntentLife | OrderLife {
  const exact = lives.orders.get(id);
  if (exact !== undefined) return exact;
  const all = [...lives.orders.values()];
  const named = all.filter(({ orderId }) => orderId === id);
  if (named.length === 1) return named[0]!;
  const number = /^#?(\d+)$/.exec(id)?.[1];
  const asked = number === undefined ? undefined : lives.intents.find(({ line }) => line.id === Number(number));
  if (asked !== undefined) return asked;
  const begun = all.filter(({ clientOrderId }) => id !== '' && clientOrderId.startsWith(id));
  if (begun.length === 1) return begun[0]!;
  const several = begun.length > 1 ? begun : named;
  if (several.length > 1) {
    throw new TidegateError('USAGE', `${id} may be ${listed(several.map(({ clientOrderId }) => clientOrderId))}: give more of it`);
  }
  throw new TidegateError('USAGE', `${source} tells of no order and no intent ${id}${hint(lives, id, number, unit)}`);
}

function hint({ intents, orders }: Lives, id: string, number: string | undefined, unit: ToldRun['unit']): string {
  if (intents.length === 0) return ': it tells of none at all';
  if (number !== undefined) {
    const away = (one: IntentLife) => Math.abs(one.line.id - Number(number));
    const close = intents.reduce((best, one) => (away(one) < away(best) ? one : best));
    return `: the intent nearest to it is ${unit} #${close.line.id}`;
  }
  const near = nearest(id, [...orders.keys()]);
  if (near !== undefined) return ` (did you mean "${near}"?)`;
  const newest = [...orders.keys()].slice(-LISTED);
  return newest.length === 0 ? `: of its ${intents.length} intents none became an order` : `: the newest are ${listed(newest)}`;
}

function listed(ids: readonly string[]): string {
  return ids.length <= LISTED ? ids.join(', ') : `${ids.slice(0, LISTED).join(', ')} and ${ids.length - LISTED} more`;
}
