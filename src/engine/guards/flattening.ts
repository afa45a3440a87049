import {
  type AccountEvent,
  type ExitDelayed,
  type ExitRefused,
  isOrderEvent,
  type LatchReset,
  type LatchRule,
  type OrderEvent,
  type OrderFilled,
  type RiskLatched,
} from '../../model/account-events.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { PlaceOrder } from '../../model/intents.ts';
import type { OrderRequest, Side } from '../../model/order.ts';
import { backOffMs, REFUSAL_FATES, refusalOf } from '../../model/refusals.ts';
import type { Clock } from '../../ports/clock.ts';
import { doubtfulSteps, heldSteps } from '../../risk/measures.ts';
import type { Order } from '../../state/order.ts';
import type { State } from '../../state/state.ts';
import type { Reviewer } from '../orders/reviewer.ts';

/** Why positions are closed: also the tag of the orders that do it. */
export type FlattenCause = LatchRule | 'maxLossPerTrade';

const CAUSES: Readonly<Record<FlattenCause, true>> = {
  maxDrawdown: true,
  dailyLoss: true,
  venueErrors: true,
  cooldown: true,
  reduce: true,
  kill: true,
  maxLossPerTrade: true,
};

/** Whether the engine closes a position by the order, once strategies are not listened to. */
export function isFlattening({ reduceOnly, tag }: Pick<OrderRequest, 'reduceOnly' | 'tag'>): boolean {
  return reduceOnly && Object.hasOwn(CAUSES, tag);
}

/** One symbol that is to be flat: of one strategy, or of all of them. */
interface FlattenTarget {
  readonly symbol: string;
  readonly cause: FlattenCause;
  readonly strategyId: string | undefined;
}

/** Why positions are to be closed, and whose: one strategy's, or everybody's. */
type FlattenOrder = Pick<FlattenTarget, 'cause' | 'strategyId'>;

interface FlatteningParts {
  readonly state: State;
  readonly reviewer: Reviewer;
  readonly clock: Clock;
  /** Takes an intent in the name of a strategy. */
  want(strategyId: string, intent: PlaceOrder): void;
  /** How many of these steps one order may take: a larger position is closed in slices. */
  slice(close: { readonly instrument: Instrument; readonly strategyId: string; readonly steps: number }): number;
  emit(event: ExitRefused | ExitDelayed): void;
  /** A wait is over: the engine takes its turn. */
  wake(): void;
  /** Whether a set latch closes positions for as long as it is set. */
  flattens(latched: RiskLatched): boolean;
}

/** What is not flat yet. */
interface Pending {
  readonly target: FlattenTarget;
  /** The positions at the last try; empty where it is to be tried now. */
  tried: string;
  /** Tries in a row that moved nothing. */
  vain: number;
  /** Stops the wait for the next try, where there is one. */
  wait: (() => void) | undefined;
  /** Closes that were refused for good, by strategy and side. */
  readonly givenUp: Set<string>;
}

/**
 * Closes positions after a kill or a limit that says so, target by target: once none of its orders is left that could
 * move it, and again when what was open at the time of a close has filled after all. A close that moves nothing is
 * repeated after a while that grows with every try, as whatever kept it may pass, until it is refused for good: that is
 * told, and a person has to look. What fills later is closed as well, for as long as the latch is set.
 */
export class Flattening {
  readonly #pending = new Map<string, Pending>();
  /** Cancels asked for, by order and its id at the venue: one that the order overtook is asked for again. */
  readonly #asked = new Set<string>();

  constructor(private readonly parts: FlatteningParts) {}

  /** What is not flat yet, as text that `resume` understands. */
  get targets(): string[] {
    return [...this.#pending.keys()];
  }

  /** @param symbols all unless named. */
  begin({ cause, strategyId }: FlattenOrder, symbols?: readonly string[]): void {
    for (const { symbol } of this.parts.state.instruments) {
      if (symbols === undefined || symbols.includes(symbol)) this.#add({ symbol, cause, strategyId });
    }
  }

  /** Goes on where an earlier run stopped. */
  resume(targets: readonly string[]): void {
    for (const text of targets) this.#add(targetOf(text));
  }

  /** What a latch had closed is closed no further once that is taken back. */
  stop({ rule, strategyId }: Pick<LatchReset, 'rule' | 'strategyId'>): void {
    for (const [key, { target }] of this.#pending) {
      if (target.cause === rule && target.strategyId === strategyId) this.#drop(key);
    }
  }

  /** Why the strategy's position in the symbol is being closed, if it is. */
  concerns(symbol: string, strategyId: string): FlattenCause | undefined {
    for (const { target } of this.#pending.values()) {
      if (target.symbol === symbol && (target.strategyId === undefined || target.strategyId === strategyId)) return target.cause;
    }
    return undefined;
  }

  /** Called for every event, after the state has it: what was refused for good is not tried again, and late fills are closed. */
  onEvent(event: AccountEvent): void {
    if (event.kind === 'orderFilled') this.#onFill(event);
    if (this.#pending.size === 0 || !isOrderEvent(event)) return;
    const code = refusalOf(event)?.code;
    if (code === undefined || REFUSAL_FATES[code] === 'over') return;
    const close = this.#closeOf(event);
    if (close === undefined) return;
    const { symbol, strategyId, side, tag } = close;
    const final = REFUSAL_FATES[code] === 'final';
    for (const { target, givenUp, vain } of this.#pending.values()) {
      if (target.symbol !== symbol || target.cause !== tag) continue;
      if (target.strategyId !== undefined && target.strategyId !== strategyId) continue;
      if (final) givenUp.add(`${strategyId} ${side}`);
      const instrument = this.parts.state.instruments.find((one) => one.symbol === symbol)!;
      const positionSide = this.parts.state.sides(instrument).length === 1 ? 'net' : side === 'sell' ? 'long' : 'short';
      const told = { time: event.time, strategyId, instrument, positionSide, exit: 'flatten', code } as const;
      if (final) this.parts.emit({ kind: 'exitRefused', ...told });
      else this.parts.emit({ kind: 'exitDelayed', ...told, retryAt: this.parts.clock.now() + backOffMs(vain + 1) });
    }
  }

  /** One step towards flat. @returns false when there is nothing to do now. */
  step(): boolean {
    if (this.#pending.size === 0) return false;
    let moved = false;
    for (const [key, { target }] of this.#pending) {
      const instrument = this.parts.state.instruments.find(({ symbol }) => symbol === target.symbol);
      if (instrument === undefined) this.#drop(key);
      else if (this.#open(instrument, target).length > 0) moved = this.#cancel(instrument, target) || moved;
      else moved = this.#close(key, instrument) || moved;
    }
    if (this.#pending.size === 0) this.#asked.clear();
    return moved;
  }

  /** A latch that closes positions stays in force when all is flat: a fill may arrive after that. */
  #onFill({ fill: { symbol, strategyId, instrument } }: OrderFilled): void {
    const { state, flattens } = this.parts;
    for (const latched of state.latches.values()) {
      const target: FlattenTarget = { symbol, cause: latched.rule, strategyId: latched.strategyId };
      const concerned = target.strategyId === undefined || target.strategyId === strategyId;
      if (!concerned || this.#pending.has(textOf(target)) || !flattens(latched)) continue;
      if (this.#held(instrument, target).length > 0) this.#add(target);
    }
  }

  #add(target: FlattenTarget): void {
    const key = textOf(target);
    this.#drop(key);
    this.#pending.set(key, { target, tried: '', vain: 0, wait: undefined, givenUp: new Set() });
  }

  #open(instrument: Instrument, { strategyId }: FlattenTarget) {
    // One of unknown fate is not waited for once it has halted its instrument: what it may fill counts as closed meanwhile.
    const isHalted = this.#isHalted(instrument);
    return [...this.parts.state.openOrders.values()].filter(
      (order) =>
        order.instrument === instrument &&
        (strategyId === undefined || order.strategyId === strategyId) &&
        !(isHalted && order.status === 'unknown'),
    );
  }

  #isHalted({ symbol }: Instrument): boolean {
    const { health } = this.parts.state;
    return [...health.values()].some((one) => one.condition === 'halted' && (one.symbol === '' || one.symbol === symbol));
  }

  #cancel(instrument: Instrument, target: FlattenTarget): boolean {
    let moved = false;
    for (const order of this.#open(instrument, target)) {
      const asking = `${order.clientOrderId}/${order.orderId}`;
      if (order.tag === target.cause || order.cancelRequested || this.#asked.has(asking)) continue;
      this.#asked.add(asking);
      this.parts.reviewer.cancel(order, target.cause === 'kill' ? 'killed' : 'riskLatch');
      moved = true;
    }
    return moved;
  }

  #close(key: string, instrument: Instrument): boolean {
    const pending = this.#pending.get(key)!;
    const held = this.#held(instrument, pending.target);
    const left = held.filter(({ id, steps }) => !pending.givenUp.has(`${id} ${closingSide(steps)}`));
    if (left.length === 0) {
      this.#drop(key);
      return false;
    }
    const now = held.map(({ id, steps }) => `${id} ${steps}`).join();
    const free = left.filter((one) => Math.abs(one.steps) > this.#inDoubt(instrument, one));
    if (now === pending.tried || free.length === 0) {
      this.#waitFor(pending);
      return false;
    }
    pending.wait?.();
    pending.wait = undefined;
    // Something has moved since the last try.
    if (pending.tried !== '') pending.vain = 0;
    pending.tried = now;
    for (const { id, steps } of free) this.#want(id, steps, instrument, pending.target);
    return true;
  }

  /** Steps that orders of unknown fate may have closed already. */
  #inDoubt(instrument: Instrument, { id, steps }: { readonly id: string; readonly steps: number }): number {
    const positionSide = this.parts.state.sides(instrument).length === 1 ? 'net' : steps > 0 ? 'long' : 'short';
    return doubtfulSteps({ strategyId: id, instrument, positionSide, side: closingSide(steps) }, this.parts.state);
  }

  /** The last try moved nothing. */
  #waitFor(pending: Pending): void {
    if (pending.wait !== undefined) return;
    const { clock, wake } = this.parts;
    pending.wait = clock.schedule(clock.now() + backOffMs(++pending.vain), () => {
      pending.wait = undefined;
      pending.tried = '';
      wake();
    });
  }

  #want(id: string, steps: number, instrument: Instrument, { cause }: FlattenTarget): void {
    const { slice, want } = this.parts;
    const most = slice({ instrument, strategyId: id, steps: Math.abs(steps) });
    want(id, closingIntent(instrument, Math.sign(steps) * most, cause));
  }

  /** What the target's strategies hold of the instrument, as far as the account still has it. */
  #held(instrument: Instrument, { strategyId }: FlattenTarget): { readonly id: string; readonly steps: number }[] {
    const { state } = this.parts;
    const names = state.sides(instrument).length === 1 ? (['net'] as const) : (['long', 'short'] as const);
    return [...state.books.keys()]
      .filter((id) => strategyId === undefined || id === strategyId)
      .flatMap((id) => names.map((positionSide) => ({ id, steps: heldSteps({ strategyId: id, instrument, positionSide }, state) })))
      .filter(({ steps }) => steps !== 0);
  }

  /** What the event's order trades, and for whom; `undefined` where that has no side. */
  #closeOf(event: OrderEvent): { symbol: string; strategyId: string; side: Side; tag: string } | undefined {
    if (event.kind !== 'orderDenied') return this.parts.state.order(event.clientOrderId);
    const { symbol, strategyId, side, tag } = event;
    return side === undefined ? undefined : { symbol, strategyId, side, tag };
  }

  #drop(key: string): void {
    this.#pending.get(key)?.wait?.();
    this.#pending.delete(key);
  }
}

/** `BTC-USDT` of a kill of everything, else `BTC-USDT/dailyLoss/sma`, the strategy left out where it is all of them. */
function textOf({ symbol, cause, strategyId }: FlattenTarget): string {
  if (cause === 'kill' && strategyId === undefined) return symbol;
  return strategyId === undefined ? `${symbol}/${cause}` : `${symbol}/${cause}/${strategyId}`;
}

function targetOf(text: string): FlattenTarget {
  const [symbol = '', cause = 'kill', strategyId] = text.split('/');
  return { symbol, cause: cause as FlattenCause, strategyId };
}

/** Closes every strategy's position when the recording is over, once no order is left that could move it. */
export class Closing {
  #going = false;

  constructor(
    private readonly state: State,
    private readonly reviewer: Reviewer,
    /** Takes an intent in the name of a strategy. */
    private readonly want: (strategyId: string, intent: PlaceOrder) => void,
  ) {}

  begin(): void {
    this.#going = true;
    this.#cancel([...this.state.openOrders.values()]);
  }

  /** The venue has ended what still worked: nothing more would fill. */
  stop(): void {
    this.#going = false;
  }

  /** One step towards flat. @returns false when there is nothing to do now. */
  step(): boolean {
    if (!this.#going) return false;
    // What waiting orders would sell counts as sold: they go first, also those that `onStop` has just asked for.
    const waiting = [...this.state.openOrders.values()].filter((order) => order.held || (order.untriggered && !order.cancelRequested));
    this.#cancel(waiting);
    if (this.state.openOrders.size > 0) return waiting.length > 0;
    this.#going = false;
    for (const [strategyId, book] of this.state.books) {
      for (const instrument of this.state.instruments) {
        for (const { steps } of book.sides(instrument))
          if (steps !== 0) this.want(strategyId, closingIntent(instrument, steps, 'endOfRun'));
      }
    }
    return true;
  }

  #cancel(orders: readonly Order[]): void {
    for (const order of orders) this.reviewer.cancel(order, 'requested');
  }
}

/** A market order that closes so many steps of a strategy's own. Being reduce-only, it closes the side that it is against, where there are two. */
function closingIntent({ symbol, step }: Instrument, steps: number, tag: string): PlaceOrder {
  const side = closingSide(steps);
  const quantity = step.toText(Math.abs(steps));
  return { kind: 'place', symbol, side, type: 'market', quantity, reduceOnly: true, tag };
}

/** The side that closes so many steps. */
function closingSide(steps: number): Side {
  return steps > 0 ? 'sell' : 'buy';
}
