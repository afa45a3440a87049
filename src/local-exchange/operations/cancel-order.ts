import type { PayloadOf, RequestOf } from '../../exchange/operations/operations.ts';
import type { Call } from '../http/call.ts';
import { cancel } from './cancel.ts';

/** Operation 6: cancels a spot order of the caller. */
export function cancelOrder(request: RequestOf<'cancelOrder'>, call: Call): PayloadOf<'cancelOrder'> {
  return cancel('spot', request, call);
}
