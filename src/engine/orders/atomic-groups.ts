import type { OrderEvent } from '../../model/account-events.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Intent, PlaceOrder } from '../../model/intents.ts';
import { type OrderRequest, opposite } from '../../model/order.ts';
import { isTerminal } from '../../model/order-state.ts';
import type { Denial } from '../../model/reasons.ts';
import type { Author } from '../../risk/rules/instrument-known.ts';
import type { Order } from '../../state/order.ts';
import type { State } from '../../state/state.ts';
import { shrinks } from './least-size.ts';

/** The fate of the other legs when one fails at the exchange. */
type OnLegFailed = 'close' | 'hold';

interface Leg {
  readonly clientOrderId: string;
  readonly instrument: Instrument;
  /** It makes a position, which can be closed again. */
  readonly opens: boolean;
}

/** The legs of one group that were placed in one turn. */
interface AtomicGroup {
  readonly strategyId: string;
  readonly name: string;
  /** Sequence of the data on which it was decided. */
  readonly sequence: number;
  readonly onLegFailed: OnLegFailed;
  readonly legs: Leg[];
  /** The symbol of the leg that was denied: the others are denied as well. */
  refused?: string;
  /** A leg has failed at the exchange, and the others are closed. */
  failed?: boolean;
}

interface AtomicGroupsParts {
  readonly state: State;
  /** Places a leg like any other order. @param made receives its request. */
  place(intent: PlaceOrder, author: Author, sequence: number, made: (request: OrderRequest) => void): Denial | undefined;
  /** Cancels an order wherever it is; one that has not been sent yet never is. */
  cancel(clientOrderId: string, instrument: Instrument): void;
  submit(strategyId: string, intent: Intent): void;
  /** Writes to the log of a strategy. */
  warn(strategyId: string, message: string): void;
}

/** Groups whose legs are remembered; those of older ones can no longer be closed by the engine. */
const GROUPS_KEPT = 500;

/**
 * Orders with one `group` and `atomic`, from one answer of a strategy, are sent together or not at all:
 *
 * - If risk denies one leg, no leg is sent: those before it are withdrawn, those after it are denied.
 * - If a leg fails at the exchange (it is rejected, canceled by somebody else, or ends without having filled), the others are canceled, and
 *   what they have filled is closed at market (`close`, the default), or they stay (`hold`). Legs that close a position are never undone.
 * - A restart forgets groups: legs that fail after it leave the others as they are.
 */
export class AtomicGroups {
  /** The newest group of each name. */
  readonly #groups = new Map<string, AtomicGroup>();
  readonly #byOrder = new Map<string, AtomicGroup>();

  constructor(private readonly parts: AtomicGroupsParts) {}

  /** Places one leg. @returns why it is denied. */
  place(intent: PlaceOrder, author: Author, sequence: number): Denial | undefined {
    const { state, place } = this.parts;
    const { group: name, symbol } = intent;
    if (name === undefined) return { code: 'orderInvalid', rule: 'an atomic order has a group' };
    const group = this.#groupOf(intent, author, name, sequence);
    if (group.refused !== undefined) return { code: 'groupRefused', group: name, refused: group.refused };
    const made: OrderRequest[] = [];
    const denied = place(intent, author, sequence, (request) => made.push(request));
    if (denied === undefined) {
      for (const request of made) {
        const { clientOrderId, instrument, reduceOnly } = request;
        group.legs.push({ clientOrderId, instrument, opens: !reduceOnly && !shrinks(request, state) });
        this.#byOrder.set(clientOrderId, group);
      }
    } else {
      group.refused = symbol;
      for (const { clientOrderId, instrument } of group.legs) this.parts.cancel(clientOrderId, instrument);
    }
    return denied;
  }

  /** @param over whether the order has ended. */
  onEvent(event: OrderEvent, order: Order, over: boolean): void {
    if (this.#byOrder.size === 0) return;
    const group = this.#byOrder.get(order.clientOrderId);
    if (group === undefined) return;
    if (event.kind === 'orderFilled' && group.failed) this.#close(order, event.fill.steps);
    if (!over || group.failed || group.refused !== undefined || group.onLegFailed === 'hold' || !hasFailed(event)) return;
    group.failed = true;
    this.parts.warn(group.strategyId, `group ${group.name}: the leg in ${order.symbol} failed at the exchange, so the others are closed`);
    for (const { clientOrderId } of group.legs) {
      const leg = this.parts.state.order(clientOrderId);
      if (leg !== undefined && leg.filledSteps > 0) this.#close(leg, leg.filledSteps);
      if (leg !== undefined && !isTerminal(leg.status) && !leg.cancelRequested) this.parts.cancel(clientOrderId, leg.instrument);
    }
  }

  #groupOf({ atomic }: PlaceOrder, { id: strategyId }: Author, name: string, sequence: number): AtomicGroup {
    const key = JSON.stringify([strategyId, name]);
    const known = this.#groups.get(key);
    if (known?.sequence === sequence) return known;
    const made: AtomicGroup = { strategyId, name, sequence, onLegFailed: atomic === 'hold' ? 'hold' : 'close', legs: [] };
    this.#groups.delete(key);
    this.#groups.set(key, made);
    if (this.#groups.size > GROUPS_KEPT) this.#dropOldest();
    return made;
  }

  #dropOldest(): void {
    for (const [key, { legs }] of this.#groups) {
      this.#groups.delete(key);
      for (const { clientOrderId } of legs) this.#byOrder.delete(clientOrderId);
      return;
    }
  }

  /** Closes what a leg has opened. */
  #close({ clientOrderId, strategyId, instrument, request }: Order, steps: number): void {
    const group = this.#byOrder.get(clientOrderId)!;
    if (group.legs.find((leg) => leg.clientOrderId === clientOrderId)?.opens !== true) return;
    const { side, positionSide } = request;
    this.parts.submit(strategyId, {
      kind: 'place',
      ...{ symbol: instrument.symbol, side: opposite(side), type: 'market', quantity: quantityOf(instrument, steps) },
      ...(positionSide === 'net' ? {} : { positionSide }),
      reduceOnly: true,
      tag: request.tag === '' ? 'legFailed' : `${request.tag}:legFailed`,
      group: group.name,
    });
  }
}

function quantityOf({ step }: Instrument, steps: number): string {
  return step.toText(steps);
}

/** Whether an order that has ended has failed: not by its strategy, a kill or the end of the run. */
function hasFailed(event: OrderEvent): boolean {
  if (event.kind === 'orderRejected' || event.kind === 'orderDenied') return true;
  if (event.kind === 'orderExpired') return event.reason !== 'endOfRun';
  return event.kind === 'orderCanceled' && event.reason === 'external';
}
