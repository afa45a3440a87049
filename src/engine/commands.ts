import type { Intent } from '../model/intents.ts';
import type { AccountEvent } from '../model/order-events.ts';
import type { CancelReason } from '../model/reasons.ts';
import type { KillCommand, ResetCommand, Stopping } from '../ports/market-feed.ts';
import type { Order } from '../state/order.ts';
import type { State } from '../state/state.ts';
import type { Audience } from './audience.ts';
import type { Flattening } from './flattening.ts';
import type { Reviewer } from './reviewer.ts';

export interface CommandsParts {
  readonly state: State;
  readonly reviewer: Reviewer;
  readonly audience: Audience;
  readonly flattening: Flattening;
  emit(event: AccountEvent): void;
  now(): number;
}

/** What a person asks of a run: to stop, to stop trading, to trade again. */
export class Commands {
  /** Nothing may be left resting. */
  #clearing = false;
  readonly #cleared = new Set<string>();

  constructor(private readonly parts: CommandsParts) {}

  take(command: Stopping | KillCommand | ResetCommand): void {
    if (command.kind === 'stopping') this.#stop(command);
    else if (command.command === 'kill') this.#kill(command);
    else this.#reset(command);
  }

  /** @returns false when there is nothing to do now. */
  step(): boolean {
    return this.parts.flattening.step() || (this.#clearing && this.#clear());
  }

  /** While a kill flattens a symbol, its strategies have no say there: an exit placed anew would be in the way. */
  refuses(intent: Intent, strategyId: string): boolean {
    const { flattening, state, emit, now } = this.parts;
    if ((intent.kind !== 'place' && intent.kind !== 'protect') || !flattening.concerns(intent.symbol)) return false;
    const reason = { code: 'killed', reason: state.latches.get('kill')?.reason ?? '' } as const;
    const { symbol, tag = '' } = intent;
    emit({ kind: 'orderDenied', time: now(), clientOrderId: '', strategyId, symbol, tag, reason });
    return true;
  }

  /** What `onStop` asks for still goes out; what it leaves resting goes as soon as it is reviewed. */
  #stop({ cancelOrders }: Stopping): void {
    const { audience } = this.parts;
    if (cancelOrders) this.#cancelAll('stopping');
    audience.stop();
    audience.silence();
    this.#clearing = cancelOrders;
  }

  #clear(): boolean {
    const resting = [...this.parts.state.openOrders.values()].filter(
      (order) => rests(order) && !order.cancelRequested && !this.#cleared.has(`${order.clientOrderId}/${order.orderId}`),
    );
    for (const order of resting) {
      this.#cleared.add(`${order.clientOrderId}/${order.orderId}`);
      this.parts.reviewer.cancel(order, 'stopping');
    }
    return resting.length > 0;
  }

  /** A second kill cancels and flattens again, in case the first was in vain. */
  #kill({ reason, flatten }: KillCommand): void {
    const { state, flattening, emit, now } = this.parts;
    if (!state.latches.has('kill')) emit({ kind: 'riskLatched', time: now(), rule: 'kill', drawdown: 0, limit: 0, reason });
    this.#cancelAll('killed');
    if (flatten) flattening.begin();
  }

  #reset({ rule }: ResetCommand): void {
    const { state, flattening, emit, now } = this.parts;
    for (const latched of [...state.latches.keys()]) {
      if (rule !== undefined && rule !== latched) continue;
      if (latched === 'kill') flattening.stop();
      emit({ kind: 'latchReset', time: now(), rule: latched });
    }
  }

  #cancelAll(reason: CancelReason): void {
    const { state, reviewer } = this.parts;
    for (const order of [...state.openOrders.values()]) reviewer.cancel(order, reason);
  }
}

/** True for what waits for its price, here or at the venue; a market order, or one that fills at once or not at all, does not. */
function rests({ held, untriggered, request }: Order): boolean {
  return held || untriggered || (request.type === 'limit' && request.timeInForce === 'GTC' && !request.atLast);
}
