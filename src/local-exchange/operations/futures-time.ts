import type { PayloadOf } from '../../exchange/operations/operations.ts';
import { isoTime } from '../../model/time-text.ts';
import type { PublicCall } from '../http/call.ts';

/** Beyond the twenty: the server's clock in three spellings; `epoch` is in seconds. */
export function futuresTime(_request: unknown, { shownTime }: PublicCall): PayloadOf<'futuresTime'> {
  return { epoch: (shownTime / 1_000).toFixed(3), iso: isoTime(shownTime), timestamp: shownTime };
}
