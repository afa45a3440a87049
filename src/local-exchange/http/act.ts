import type { Operation } from '../../exchange/operations/operation.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Fate } from '../faults/fault-plan.ts';
import { Refusal } from '../refusal.ts';
import { type Answering, refused } from './answering.ts';
import type { WireReply, WireRequest } from './wire-request.ts';

/** A request that has arrived: what it does, and what is answered, with what befalls it here. */
export function act(operation: Operation, request: WireRequest, fate: Fate, answering: Answering, clock: Clock): WireReply {
  const refuse = (refusal: Refusal) => refused(refusal, operation.host, Math.floor(clock.now()));
  if (fate.has('tooMany')) return refuse(new Refusal('429', 'Rate limit exceeded.'));
  if (fate.has('failBefore')) return refuse(new Refusal('40725'));
  const reply = answering.answer(operation, request);
  // The second arrival acts as well, or tries to; the caller hears of the first.
  if (fate.has('duplicate')) answering.answer(operation, request);
  return fate.has('failAfter') ? refuse(new Refusal('40725')) : reply;
}
