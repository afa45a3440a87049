import type { PayloadOf, RequestOf } from '../../exchange/operations/operations.ts';
import type { Call } from '../http/call.ts';
import { cancel } from './cancel.ts';

/** Operation 12: cancels a futures order of the caller, untriggered ones included. */
export function cancelFuturesOrder(request: RequestOf<'cancelFuturesOrder'>, call: Call): PayloadOf<'cancelFuturesOrder'> {
  return cancel('futures', request, call);
}
