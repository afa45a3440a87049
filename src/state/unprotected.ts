import type { Instrument } from '../model/instrument.ts';
import { isStop, type PositionSide } from '../model/order.ts';
import type { Order } from './order.ts';
import type { StrategyBook } from './positions.ts';

/** A position of a strategy that has had an exit. */
export interface Guarded {
  readonly strategyId: string;
  readonly instrument: Instrument;
  readonly positionSide: PositionSide;
  /** `stop`: a stop was among its exits. */
  readonly exit: 'stop' | 'exit';
}

/** The parts of the state that show whether positions have their exits. */
interface Exits {
  readonly guarded: Map<string, Guarded>;
  readonly books: ReadonlyMap<string, StrategyBook>;
  readonly openOrders: ReadonlyMap<string, Order>;
}

/** A position of a strategy that had an exit, and has none. */
export interface Unprotected extends Guarded {
  /** Negative for a short position. */
  readonly steps: number;
}

/** An order is open now: if it is an exit, its position counts as guarded from now on. */
export function noteExit({ guarded, books }: Pick<Exits, 'guarded' | 'books'>, order: Order): void {
  const { strategyId, instrument, positionSide, request, type } = order;
  if (!request.reduceOnly || !(isStop(type) || order.held || order.untriggered || order.adopted || request.type === 'limit')) return;
  // Without a position it guards nothing: the exit of an entry follows the entry's fill.
  if ((books.get(strategyId)?.position(instrument, positionSide).steps ?? 0) === 0) return;
  const key = guardKey({ strategyId, instrument, positionSide });
  const exit = isStop(type) ? 'stop' : 'exit';
  if (guarded.get(key)?.exit !== 'stop') guarded.set(key, { strategyId, instrument, positionSide, exit });
}

export function guardKey({ strategyId, instrument, positionSide }: Omit<Guarded, 'exit'>): string {
  return `${strategyId}/${instrument.symbol}/${positionSide}`;
}

/**
 * The positions of strategies that had a stop and have none, or had only another exit and have none. A market order that closes the
 * position now counts as its exit, unless its outcome is unknown.
 */
export function unprotected(state: Exits): Unprotected[] {
  if (state.guarded.size === 0) return [];
  return [...state.guarded.values()].flatMap((one) => {
    const steps = state.books.get(one.strategyId)?.position(one.instrument, one.positionSide).steps ?? 0;
    return steps === 0 || isGuarded(one, steps, state) ? [] : [{ ...one, steps }];
  });
}

function isGuarded(
  { strategyId, instrument, positionSide, exit }: Guarded,
  steps: number,
  { openOrders }: Pick<Exits, 'openOrders'>,
): boolean {
  const side = steps > 0 ? 'sell' : 'buy';
  for (const { request, type, status } of openOrders.values()) {
    if (request.strategyId !== strategyId || request.instrument !== instrument || request.positionSide !== positionSide) continue;
    if (!request.reduceOnly || request.side !== side) continue;
    if (request.type === 'market' && !isStop(type) && status === 'unknown') continue;
    if (exit === 'exit' || isStop(type) || request.type === 'market') return true;
  }
  return false;
}
