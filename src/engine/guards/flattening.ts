import {
  type AccountEvent,
  type ExitDelayed,
  type ExitRefused,
  isLock,
  isOrderEvent,
  type LatchReset,
  type LatchRule,
  type LockRule,
  type OrderEvent,
  type OrderFilled,
  type RiskLatched,
} from '../../model/account-events.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { PlaceOrder } from '../../model/intents.ts';
import type { OrderRequest, Side } from '../../model/order.ts';
import type { CancelReason } from '../../model/reasons.ts';
import { backOffMs, REFUSAL_FATES, refusalOf } from '../../model/refusals.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CommandedClose } from '../../ports/market-feed.ts';
import { closingSteps, heldSteps } from '../../risk/measures.ts';
import type { Order } from '../../state/order.ts';
import { isExitTrigger } from '../../state/order-needs.ts';
import type { State } from '../../state/state.ts';
import type { Reviewer } from '../orders/reviewer.ts';

/** Why positions are closed. Also the tag of the closing orders. */
export type FlattenCause = Exclude<LatchRule, LockRule | 'paused'> | 'maxLossPerTrade' | typeof COMMANDED;

/** The cause of a close by the command `close`. */
export const COMMANDED = 'closeByCommand';

const CAUSES: Readonly<Record<FlattenCause, true>> = {
  maxDrawdown: true,
  dailyLoss: true,
  venueErrors: true,
  cooldown: true,
  reduce: true,
  kill: true,
  maxLossPerTrade: true,
  closeByCommand: true,
};

/** Whether the order is one by which the engine closes a position while strategies are ignored. */
export function isFlattening({ reduceOnly, tag }: Pick<OrderRequest, 'reduceOnly' | 'tag'>): boolean {
  return reduceOnly && Object.hasOwn(CAUSES, tag);
}

/** A symbol to flatten: for one strategy, or for all of them. */
interface FlattenTarget {
  readonly symbol: string;
  readonly cause: FlattenCause;
  readonly strategyId: string | undefined;
  /** Only positions of this side. */
  readonly side?: CommandedClose['side'];
}

/** Steps that a strategy holds. */
interface Holding {
  readonly id: string;
  readonly steps: number;
}

/** Why positions must be closed, and of which strategy; of all if left out. */
type FlattenOrder = Pick<FlattenTarget, 'cause' | 'strategyId'>;

interface FlatteningParts {
  readonly state: State;
  readonly reviewer: Reviewer;
  readonly clock: Clock;
  /** Submits an intent in the name of a strategy. */
  submit(strategyId: string, intent: PlaceOrder): void;
  /** How many of these steps one order may have. A larger position is closed in slices. */
  slice(close: { readonly instrument: Instrument; readonly strategyId: string; readonly steps: number }): number;
  emit(event: ExitRefused | ExitDelayed): void;
  /** A wait has ended: the engine takes its turn. */
  wake(): void;
  /** Whether a set latch closes positions for as long as it is set. */
  flattens(latched: RiskLatched): boolean;
}

/** A target that is not flat yet. */
interface Pending {
  readonly target: FlattenTarget;
  /** The positions at the last try; empty if the next try is due now. */
  tried: string;
  /** Consecutive tries that changed nothing. */
  vain: number;
  /** Cancels the wait for the next try, if there is one. */
  wait: (() => void) | undefined;
  /** Closes that were refused for good, by strategy and side. */
  readonly givenUp: Set<string>;
}

/**
 * Closes positions after a kill or a limit, target by target. What is certainly held is closed at once: the position less what open orders
 * on the closing side may still take. The rest is closed as these end. Orders that open are canceled and not awaited: what they fill is
 * closed when it shows. A stop at the venue goes after the close, as a close there may take several tries. A close that changes nothing is
 * repeated after a growing wait, until it is refused for good. That is reported, and a person has to act. Later fills are closed as well,
 * as long as the latch is set.
 */
export class Flattening {
  readonly #pending = new Map<string, Pending>();
  /** Orders whose cancel was sent, by order and its id at the venue. A cancel that overtook its order is sent again. */
  readonly #cancelsSent = new Set<string>();

  constructor(private readonly parts: FlatteningParts) {}

  /** The targets that are not flat yet, in the form that `resume` reads. */
  get targets(): string[] {
    return [...this.#pending.keys()];
  }

  /** Closes the positions in these symbols, in all of them if they are left out. */
  begin({ cause, strategyId }: FlattenOrder, symbols?: readonly string[]): void {
    for (const { symbol } of this.parts.state.instruments) {
      if (symbols === undefined || symbols.includes(symbol)) this.#add({ symbol, cause, strategyId });
    }
  }

  /** Closes what a command names. Nothing is canceled if a net position is on the other side. */
  close({ symbol, strategyId, side }: CommandedClose): void {
    const target = { symbol, cause: COMMANDED, strategyId, side } as const;
    const instrument = this.parts.state.instruments.find((one) => one.symbol === symbol);
    if (instrument === undefined) return;
    const isNet = this.parts.state.sides(instrument).length === 1;
    if (side === undefined || !isNet || this.#held(instrument, target).length > 0) this.#add(target);
  }

  /** The closes by command that are not finished. */
  get commanded(): CommandedClose[] {
    return [...this.#pending.values()].flatMap(({ target: { symbol, cause, strategyId, side } }) =>
      cause === COMMANDED ? [{ symbol, strategyId, side }] : [],
    );
  }

  /** Stops the closes by command, of one strategy or all. */
  stopCommanded(strategyId: string | undefined): void {
    for (const [key, { target }] of this.#pending) {
      if (target.cause === COMMANDED && (strategyId === undefined || target.strategyId === strategyId)) this.#drop(key);
    }
  }

  /** Continues with the targets that an earlier run had not closed. */
  resume(targets: readonly string[]): void {
    for (const text of targets) this.#add(targetOf(text));
  }

  /** Stops closing for a latch that was reset. */
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

  /** Called for every event, after the state has it: notes final refusals, and closes late fills. */
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
      if (target.side !== undefined && side !== closingSide(target.side === 'long' ? 1 : -1)) continue;
      if (final) givenUp.add(`${strategyId} ${side}`);
      const instrument = this.parts.state.instruments.find((one) => one.symbol === symbol)!;
      const positionSide = this.parts.state.sides(instrument).length === 1 ? 'net' : side === 'sell' ? 'long' : 'short';
      const shared = { time: event.time, strategyId, instrument, positionSide, exit: 'flatten', code } as const;
      if (final) this.parts.emit({ kind: 'exitRefused', ...shared });
      else this.parts.emit({ kind: 'exitDelayed', ...shared, retryAt: this.parts.clock.now() + backOffMs(vain + 1) });
    }
  }

  /** One step towards flat. @returns false when there is nothing to do now. */
  step(): boolean {
    if (this.#pending.size === 0) return false;
    let moved = false;
    for (const [key, { target }] of this.#pending) {
      const instrument = this.parts.state.instruments.find(({ symbol }) => symbol === target.symbol);
      if (instrument === undefined) {
        this.#drop(key);
        continue;
      }
      moved = this.#cancel(instrument, target) || moved;
      moved = this.#close(key, instrument) || moved;
    }
    if (this.#pending.size === 0) this.#cancelsSent.clear();
    return moved;
  }

  /** A latch that closes positions stays in force when all is flat: a later fill may arrive. */
  #onFill({ fill: { symbol, strategyId, instrument } }: OrderFilled): void {
    const { state, flattens } = this.parts;
    for (const latched of state.latches.values()) {
      if (isLock(latched.rule) || latched.rule === 'paused') continue;
      const target: FlattenTarget = { symbol, cause: latched.rule, strategyId: latched.strategyId };
      const concerned = target.strategyId === undefined || target.strategyId === strategyId;
      if (!concerned || this.#pending.has(textOf(target)) || !flattens(latched)) continue;
      if (this.#held(instrument, target).length > 0) this.#add(target);
    }
  }

  /** Whether the order is an exit that waits at the venue, and its position is not closed yet. */
  protects({ instrument, held, untriggered, request, strategyId, positionSide, side }: Order): boolean {
    if (held || !untriggered || !isExitTrigger(request)) return false;
    const steps = heldSteps({ strategyId, instrument, positionSide }, this.parts.state);
    return steps !== 0 && side === closingSide(steps);
  }

  #add(target: FlattenTarget): void {
    const key = textOf(target);
    this.#drop(key);
    this.#pending.set(key, { target, tried: '', vain: 0, wait: undefined, givenUp: new Set() });
  }

  #open(instrument: Instrument, { strategyId, side }: FlattenTarget) {
    // An order with an unknown outcome is not awaited once it has halted its instrument: its steps count as closed meanwhile.
    const isHalted = this.#isHalted(instrument);
    return [...this.parts.state.openOrders.values()].filter(
      (order) =>
        order.instrument === instrument &&
        (strategyId === undefined || order.strategyId === strategyId) &&
        (side === undefined || order.positionSide === 'net' || order.positionSide === side) &&
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
      const key = `${order.clientOrderId}/${order.orderId}`;
      if (order.tag === target.cause || order.cancelRequested || this.#cancelsSent.has(key) || this.protects(order)) continue;
      this.#cancelsSent.add(key);
      this.parts.reviewer.cancel(order, CANCELED[target.cause] ?? 'riskLatch');
      moved = true;
    }
    return moved;
  }

  #close(key: string, instrument: Instrument): boolean {
    const pending = this.#pending.get(key)!;
    const held = this.#held(instrument, pending.target);
    const left = held.filter(({ id, steps }) => !pending.givenUp.has(`${id} ${closingSide(steps)}`));
    const open = this.#open(instrument, pending.target);
    if (left.length === 0) {
      // An order that opens may still fill.
      if (open.length === 0) this.#drop(key);
      return false;
    }
    const now = held
      .map((one) => `${one.id} ${one.steps} ${this.#takenBy(instrument, one, ({ tag }) => tag !== pending.target.cause)}`)
      .join();
    const isClosing = ({ id, steps }: Holding) =>
      open.some(({ tag, strategyId, side }) => tag === pending.target.cause && strategyId === id && side === closingSide(steps));
    const free = left.filter((one) => !isClosing(one) && Math.abs(one.steps) > this.#takenBy(instrument, one));
    if (now === pending.tried || free.length === 0) {
      // An order that is about to end leads to the next try.
      if (now === pending.tried ? !left.some(isClosing) : open.length === 0) this.#waitFor(pending);
      return false;
    }
    pending.wait?.();
    pending.wait = undefined;
    // Something has moved since the last try.
    if (pending.tried !== '') pending.vain = 0;
    pending.tried = now;
    for (const one of free) {
      const steps = Math.sign(one.steps) * (Math.abs(one.steps) - this.#takenBy(instrument, one));
      this.#want(one.id, steps, instrument, pending.target);
    }
    return true;
  }

  /** Steps of the position that open orders may still close, or have closed already if their outcome is unknown. */
  #takenBy(instrument: Instrument, { id, steps }: Holding, counts: (order: Readonly<Order>) => boolean = () => true): number {
    const positionSide = this.parts.state.sides(instrument).length === 1 ? 'net' : steps > 0 ? 'long' : 'short';
    return closingSteps({ strategyId: id, instrument, positionSide, side: closingSide(steps) }, this.parts.state, counts);
  }

  /** The last try changed nothing. */
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
    const { slice, submit } = this.parts;
    const most = slice({ instrument, strategyId: id, steps: Math.abs(steps) });
    submit(id, closingIntent(instrument, Math.sign(steps) * most, cause));
  }

  /** Steps that the target's strategies hold of the instrument, as far as the account still has them. */
  #held(instrument: Instrument, { strategyId, side }: FlattenTarget): Holding[] {
    const { state } = this.parts;
    const names = state.sides(instrument).length === 1 ? (['net'] as const) : (['long', 'short'] as const);
    return [...state.books.keys()]
      .filter((id) => strategyId === undefined || id === strategyId)
      .flatMap((id) => names.map((positionSide) => ({ id, steps: heldSteps({ strategyId: id, instrument, positionSide }, state) })))
      .filter(({ steps }) => steps !== 0 && (side === undefined || steps > 0 === (side === 'long')));
  }

  /** Symbol, side and strategy of the event's order; `undefined` without a side. */
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

/** The reasons of the cancels that a command causes. */
const CANCELED: Partial<Record<FlattenCause, CancelReason>> = { kill: 'killed', closeByCommand: 'closing' };

/**
 * `BTC-USDT` for a kill of everything, else `BTC-USDT/dailyLoss/sma`, without the strategy if it is for all of them. One side of a close
 * by command is at the end, as in `BTC-USDT/closeByCommand//long`.
 */
function textOf({ symbol, cause, strategyId, side }: FlattenTarget): string {
  if (side !== undefined) return `${symbol}/${cause}/${strategyId ?? ''}/${side}`;
  if (cause === 'kill' && strategyId === undefined) return symbol;
  return strategyId === undefined ? `${symbol}/${cause}` : `${symbol}/${cause}/${strategyId}`;
}

function targetOf(text: string): FlattenTarget {
  const [symbol = '', cause = 'kill', strategyId, side] = text.split('/');
  const whose = { symbol, cause: cause as FlattenCause, strategyId: strategyId === '' ? undefined : strategyId };
  return side === undefined ? whose : { ...whose, side: side as CommandedClose['side'] };
}

/** A market order that closes this many steps of a strategy. It is reduce-only, so with two sides it closes the opposite one. */
export function closingIntent({ symbol, step }: Instrument, steps: number, tag: string): PlaceOrder {
  const side = closingSide(steps);
  const quantity = step.toText(Math.abs(steps));
  return { kind: 'place', symbol, side, type: 'market', quantity, reduceOnly: true, tag };
}

/** The side that closes this many steps. */
function closingSide(steps: number): Side {
  return steps > 0 ? 'sell' : 'buy';
}
