import type { ExitRefused } from '../model/exit-refused.ts';
import type { Order } from './order.ts';
import type { State } from './state.ts';

/** What an exit was to close, and by which of its exits. */
type Exit = Pick<ExitRefused, 'strategyId' | 'instrument' | 'positionSide' | 'exit'>;

export function noteRefusedExit({ refusedExits }: State, event: ExitRefused): void {
  refusedExits.set(keyOf(event), event);
}

/** A stop waits: if the position had lost its own, it is guarded again. */
export function noteGuard({ refusedExits }: State, { type, strategyId, instrument, positionSide }: Order): void {
  if (refusedExits.size === 0 || (type !== 'stop' && type !== 'stopLimit')) return;
  refusedExits.delete(keyOf({ strategyId, instrument, positionSide, exit: 'stop' }));
}

/** The position is gone: nothing needs to be closed. */
export function noteFlat({ refusedExits }: State, { strategyId, instrument, positionSide }: Omit<Exit, 'exit'>): void {
  if (refusedExits.size === 0) return;
  for (const exit of ['stop', 'flatten'] as const) refusedExits.delete(keyOf({ strategyId, instrument, positionSide, exit }));
}

function keyOf({ strategyId, instrument, positionSide, exit }: Exit): string {
  return `${exit}/${instrument.symbol}/${positionSide}/${strategyId}`;
}
