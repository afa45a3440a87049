import type { PayloadOf, RequestOf } from '../../exchange/operations/operations.ts';
import type { Call } from '../http/call.ts';
import { listed } from './listed.ts';
import { positionRecord, positionsOf } from './position-record.ts';

/** Operation 15: the caller's positions of one contract, long and short. */
export function singlePosition({ symbol }: RequestOf<'singlePosition'>, call: Call): PayloadOf<'singlePosition'> {
  const instrument = listed(call.exchange, 'futures', symbol);
  return positionsOf(call)
    .filter((position) => position.instrument === instrument)
    .map((position) => positionRecord(position, call));
}
