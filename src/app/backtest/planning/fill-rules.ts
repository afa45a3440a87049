import { isQueueRule } from '../../../matching/settings.ts';
import { TidegateError } from '../../../model/errors.ts';
import type { PriceEventKind } from '../../../model/market-events.ts';
import type { Config } from '../../config/schema/schema.ts';
import { kindText } from './data-use.ts';

/** Kinds that tell what stands in a queue, or what goes of it. */
const QUEUE_KINDS: readonly PriceEventKind[] = ['depth', 'quote', 'trade'];

/** @throws TidegateError CONFIG_INVALID where the data that feeds the run cannot serve a rule by which orders fill. */
export function requireFillData({ limit, restingBy }: Config['backtest']['fills'], kinds: readonly PriceEventKind[]): void {
  const fed = kinds.map(kindText).join(' and ');
  const refuse = (path: string, expected: string) => {
    throw new TidegateError('CONFIG_INVALID', `backtest.fills.${path}: ${expected}, but the run is fed by ${fed} (backtest.use)`);
  };
  if (isQueueRule(limit) && !kinds.some((kind) => QUEUE_KINDS.includes(kind))) refuse('limit', 'a queue needs depth, quotes or trades');
  if (restingBy === 'trades' && !kinds.includes('trade')) refuse('restingBy', '"trades" needs trades');
}
