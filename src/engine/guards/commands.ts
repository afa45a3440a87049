import type { AccountEvent, RiskLatched } from '../../model/account-events.ts';
import type { Intent, PlaceOrder } from '../../model/intents.ts';
import { mayClose } from '../../model/order.ts';
import type { CancelReason, Denial } from '../../model/reasons.ts';
import type { Command, KillCommand, ResetCommand, ResumeCommand, Stopping } from '../../ports/market-feed.ts';
import type { RiskLimits } from '../../risk/limits.ts';
import { latchDenial } from '../../risk/rules/latch.ts';
import type { Order } from '../../state/order.ts';
import { latchKey, type State } from '../../state/state.ts';
import type { Amendments } from '../orders/amendments.ts';
import type { Reviewer } from '../orders/reviewer.ts';
import type { StrategyRunner } from '../strategies/strategy-runner.ts';
import { COMMANDED, type FlattenCause, type Flattening, isFlattening } from './flattening.ts';
import type { RiskLatches } from './risk-latches.ts';

/** Intents that place orders, or hold them. */
type Ordering = Extract<Intent, { readonly kind: 'place' | 'protect' | 'closePosition' | 'sellAll' | 'target' }>;
const ORDERING: ReadonlySet<string> = new Set<Ordering['kind']>(['place', 'protect', 'closePosition', 'sellAll', 'target']);

/** The replacement of an amended order. */
type Replacing = Pick<PlaceOrder, 'kind' | 'symbol' | 'side' | 'tag' | 'ref' | 'group'>;

interface CommandsParts {
  readonly state: State;
  readonly reviewer: Reviewer;
  readonly amendments: Amendments;
  readonly runner: StrategyRunner;
  readonly flattening: Flattening;
  readonly latches: RiskLatches;
  emit(event: AccountEvent): void;
  now(): number;
  /** From now on these limits are in force. */
  limit(changed: RiskLimits): void;
  /** The latch of a kill, if it is set. A kill ends all orders of strategies. */
  killed(): RiskLatched | undefined;
}

/** Commands of a person to a run: stop, stop trading, trade again. */
export class Commands {
  /** No order may be left resting. */
  #clearing = false;
  readonly #cleared = new Set<string>();
  /** Orders canceled because of a kill, by order and its id at the venue. A cancel that overtook its order is sent again. */
  readonly #ended = new Set<string>();

  constructor(private readonly parts: CommandsParts) {}

  take(command: Stopping | Command): void {
    if (command.kind === 'stopping') this.#stop(command);
    else if (command.command === 'kill') this.#kill(command);
    else if (command.command === 'reset') this.#reset(command);
    else if (command.command === 'reduce' || command.command === 'pause') {
      const { strategyId, reason } = command;
      const rule = command.command === 'pause' ? 'paused' : 'reduce';
      this.parts.latches.latch({ rule, strategyId, drawdown: 0, limit: 0, reason });
    } else if (command.command === 'resume') this.#resume(command);
    else if (command.command === 'limit') this.parts.limit(command.limits as RiskLimits);
    else if (command.command === 'close') this.parts.flattening.close(command);
  }

  /** @returns false when there is nothing to do now. */
  step(): boolean {
    return this.parts.flattening.step() || (this.#clearing && this.#clear()) || this.#endAll();
  }

  /**
   * After a kill, intents of strategies are refused. While a position is being closed, intents of its strategy there are refused: a new
   * exit would interfere.
   */
  refuses(intent: Intent | Replacing, strategyId: string): boolean {
    const { flattening, emit, now, killed, state } = this.parts;
    if (!isOrdering(intent)) return false;
    const kill = killed();
    const cause = flattening.concerns(intent.symbol, strategyId);
    if (kill === undefined && cause === undefined) return false;
    const { symbol, tag = '', ref, group } = intent;
    const side = 'side' in intent ? intent.side : undefined;
    emit({
      kind: 'orderDenied',
      time: now(),
      clientOrderId: '',
      strategyId,
      symbol,
      side,
      tag,
      ...(ref !== undefined && { ref }),
      ...(group !== undefined && { group }),
      reason: kill === undefined ? this.#whyClosing(cause!, strategyId) : latchDenial(kill, state),
    });
    return true;
  }

  #whyClosing(cause: FlattenCause, strategyId: string): Denial {
    if (cause === 'maxLossPerTrade') return { code: 'reducing', reason: 'a trade that lost more than maxLossPerTrade is being closed' };
    if (cause === COMMANDED) return { code: 'reducing', reason: 'a person closes this position by command' };
    const { state } = this.parts;
    const latched = state.latches.get(cause) ?? state.latches.get(latchKey({ rule: cause, strategyId }));
    return latched === undefined ? { code: 'reducing', reason: `what ${cause} closes is not flat yet` } : latchDenial(latched, state);
  }

  /** Intents of `onStop` are still sent. Those that would rest are canceled as soon as they are reviewed. */
  #stop({ cancelOrders }: Stopping): void {
    const { runner, amendments } = this.parts;
    amendments.stop();
    if (cancelOrders) this.#cancelAll('stopping');
    runner.stop();
    runner.silence();
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

  /** Ends the orders that strategies still have after a kill, or that result from a late fill, such as its stop. */
  #endAll(): boolean {
    const { state, reviewer, killed } = this.parts;
    if (state.openOrders.size === 0 || killed() === undefined) return false;
    const left = [...state.openOrders.values()].filter(
      (order) =>
        !order.cancelRequested &&
        !isFlattening(order.request) &&
        !this.#isKept(order) &&
        !this.#ended.has(`${order.clientOrderId}/${order.orderId}`),
    );
    for (const order of left) {
      this.#ended.add(`${order.clientOrderId}/${order.orderId}`);
      reviewer.cancel(order, 'killed');
    }
    return left.length > 0;
  }

  /** A second kill cancels and flattens again, in case the first one failed. */
  #kill({ reason, flatten }: KillCommand): void {
    const { latches, flattening } = this.parts;
    latches.latch({ rule: 'kill', drawdown: 0, limit: 0, reason, ...(flatten ? { flatten } : {}) });
    // The latch counts from its event on. Closing orders go first: a close waits for their coins.
    const open = [...this.parts.state.openOrders.values()].filter((order) => !(flatten && flattening.protects(order)));
    for (const order of open.sort((a, b) => Number(mayClose(b.request)) - Number(mayClose(a.request))))
      this.parts.reviewer.cancel(order, 'killed');
    if (flatten) flattening.begin({ cause: 'kill', strategyId: undefined });
  }

  /** A kill that flattens leaves a stop at the venue in force until its position is closed. */
  #isKept(order: Order): boolean {
    return this.parts.killed()?.flatten === true && this.parts.flattening.protects(order);
  }

  #reset({ rule, strategyId }: ResetCommand): void {
    const { state, emit, now, flattening } = this.parts;
    if (rule === undefined) flattening.stopCommanded(strategyId);
    for (const latched of [...state.latches.values()]) {
      if (
        latched.rule === 'paused' ||
        (rule !== undefined && rule !== latched.rule) ||
        (strategyId !== undefined && strategyId !== latched.strategyId)
      )
        continue;
      emit({ kind: 'latchReset', time: now(), rule: latched.rule, strategyId: latched.strategyId, symbol: latched.symbol });
    }
  }

  #resume({ strategyId }: ResumeCommand): void {
    const { state, emit, now } = this.parts;
    const paused = { rule: 'paused', strategyId } as const;
    if (state.latches.has(latchKey(paused))) emit({ kind: 'latchReset', time: now(), ...paused });
  }

  #cancelAll(reason: CancelReason): void {
    const { state, reviewer } = this.parts;
    for (const order of [...state.openOrders.values()]) reviewer.cancel(order, reason);
  }
}

/** Whether the order waits for its price, here or at the venue. A market, IOC or FOK order does not. */
function rests({ held, untriggered, request }: Order): boolean {
  return held || untriggered || (request.type === 'limit' && request.timeInForce === 'GTC');
}

function isOrdering(intent: Intent | Replacing): intent is Ordering | Replacing {
  return ORDERING.has(intent.kind);
}
