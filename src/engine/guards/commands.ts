import type { AccountEvent, RiskLatched } from '../../model/account-events.ts';
import type { Intent } from '../../model/intents.ts';
import type { CancelReason, Denial } from '../../model/reasons.ts';
import type { Command, KillCommand, ResetCommand, Stopping } from '../../ports/market-feed.ts';
import { latchDenial } from '../../risk/rules/latch.ts';
import type { Order } from '../../state/order.ts';
import { latchKey, type State } from '../../state/state.ts';
import type { Reviewer } from '../orders/reviewer.ts';
import type { Audience } from '../strategies/audience.ts';
import { type FlattenCause, type Flattening, isFlattening } from './flattening.ts';
import type { LatchDesk } from './latch-desk.ts';

interface CommandsParts {
  readonly state: State;
  readonly reviewer: Reviewer;
  readonly audience: Audience;
  readonly flattening: Flattening;
  readonly latches: LatchDesk;
  emit(event: AccountEvent): void;
  now(): number;
  /** The latch of a kill, which ends all orders of strategies, where it is set. */
  killed(): RiskLatched | undefined;
}

/** What a person asks of a run: to stop, to stop trading, to trade again. */
export class Commands {
  /** Nothing may be left resting. */
  #clearing = false;
  readonly #cleared = new Set<string>();
  /** Canceled because of a kill, by order and its id at the venue: one that the order overtook is asked for again. */
  readonly #ended = new Set<string>();

  constructor(private readonly parts: CommandsParts) {}

  take(command: Stopping | Command): void {
    if (command.kind === 'stopping') this.#stop(command);
    else if (command.command === 'kill') this.#kill(command);
    else if (command.command === 'reset') this.#reset(command);
    else {
      const { strategyId, reason } = command;
      this.parts.latches.latch({ rule: 'reduce', strategyId, drawdown: 0, limit: 0, reason });
    }
  }

  /** @returns false when there is nothing to do now. */
  step(): boolean {
    return this.parts.flattening.step() || (this.#clearing && this.#clear()) || this.#endAll();
  }

  /**
   * After a kill no strategy has a say. While a position is being closed, its own has none there: an exit placed anew would be in
   * the way.
   */
  refuses(intent: Intent, strategyId: string): boolean {
    const { flattening, emit, now, killed, state } = this.parts;
    if (intent.kind !== 'place' && intent.kind !== 'protect') return false;
    const kill = killed();
    const cause = flattening.concerns(intent.symbol, strategyId);
    if (kill === undefined && cause === undefined) return false;
    const { symbol, side, tag = '' } = intent;
    emit({
      kind: 'orderDenied',
      time: now(),
      clientOrderId: '',
      strategyId,
      symbol,
      side,
      tag,
      reason: kill === undefined ? this.#whyClosing(cause!, strategyId) : latchDenial(kill, state),
    });
    return true;
  }

  #whyClosing(cause: FlattenCause, strategyId: string): Denial {
    if (cause === 'maxLossPerTrade') return { code: 'reducing', reason: 'a trade that lost more than maxLossPerTrade is being closed' };
    const { state } = this.parts;
    const latched = state.latches.get(cause) ?? state.latches.get(latchKey({ rule: cause, strategyId }));
    return latched === undefined ? { code: 'reducing', reason: `what ${cause} closes is not flat yet` } : latchDenial(latched, state);
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

  /** What is left of strategies' orders after a kill, or comes of one that filled all the same, such as its stop. */
  #endAll(): boolean {
    const { state, reviewer, killed } = this.parts;
    if (state.openOrders.size === 0 || killed() === undefined) return false;
    const left = [...state.openOrders.values()].filter(
      (order) => !order.cancelRequested && !isFlattening(order.request) && !this.#ended.has(`${order.clientOrderId}/${order.orderId}`),
    );
    for (const order of left) {
      this.#ended.add(`${order.clientOrderId}/${order.orderId}`);
      reviewer.cancel(order, 'killed');
    }
    return left.length > 0;
  }

  /** A second kill cancels and flattens again, in case the first was in vain. */
  #kill({ reason, flatten }: KillCommand): void {
    const { latches, flattening } = this.parts;
    latches.latch({ rule: 'kill', drawdown: 0, limit: 0, reason, ...(flatten ? { flatten } : {}) });
    this.#cancelAll('killed');
    if (flatten) flattening.begin({ cause: 'kill', strategyId: undefined });
  }

  #reset({ rule, strategyId }: ResetCommand): void {
    const { state, emit, now } = this.parts;
    for (const latched of [...state.latches.values()]) {
      if ((rule !== undefined && rule !== latched.rule) || (strategyId !== undefined && strategyId !== latched.strategyId)) continue;
      emit({ kind: 'latchReset', time: now(), rule: latched.rule, strategyId: latched.strategyId });
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
