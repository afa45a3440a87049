import { type AccountEvent, type ForcedClose, isForcedClose, isOrderEvent, type OrderEvent } from '../model/account-events.ts';
import { Fill } from '../model/fill.ts';
import { shareOf } from '../model/margin.ts';
import type { OrderRequest } from '../model/order.ts';
import { isTerminal } from '../model/order-state.ts';
import { type Holding, SeparatedPosition, shareLiquidation } from '../model/position.ts';
import type { Journal } from '../ports/journal.ts';
import { applyAccount } from '../state/apply.ts';
import type { Order } from '../state/order.ts';
import { holdersOf, type State } from '../state/state.ts';
import type { Broadcast } from './broadcast.ts';
import type { RiskGuards } from './guards/risk-guards.ts';
import type { HeldOrders } from './held/held-orders.ts';
import type { Amendments } from './orders/amendments.ts';
import type { AtomicGroups } from './orders/atomic-groups.ts';
import type { StrategyRunner } from './strategies/strategy-runner.ts';

interface AccountEventsParts {
  readonly state: State;
  readonly journal: Journal;
  readonly held: HeldOrders;
  readonly amendments: Amendments;
  readonly guards: RiskGuards;
  readonly broadcast: Broadcast;
  readonly runner: StrategyRunner;
  readonly groups: AtomicGroups;
}

/** The path of account events: first into the state and the journal, then to held orders and guards, then to observers and strategies. */
export class AccountEvents {
  /** Events from before the start. The state has them; observers and strategies receive them at the start. */
  #early: { readonly event: AccountEvent; readonly owner: string | undefined }[] | undefined = [];
  /** An error from before the run. */
  #broken: { readonly error: unknown } | undefined;

  constructor(private readonly parts: AccountEventsParts) {}

  /** @param sequence of the newest data the engine acts on. */
  deliver(event: AccountEvent, sequence: number): void {
    const { state, journal, guards } = this.parts;
    applyAccount(state, event);
    const order = isOrderEvent(event) ? state.order(event.clientOrderId) : undefined;
    if (order !== undefined && event.kind === 'orderFilled') named(event.fill, order);
    journal.event(sequence, event);
    if (order !== undefined) this.#follow(event as OrderEvent, order);
    const owner = 'strategyId' in event ? event.strategyId : order?.strategyId;
    guards.onEvent(event, owner);
    if (this.#early === undefined) this.#show(event, owner);
    else this.#early.push({ event, owner });
    // At once, so that the next liquidation of the side has the strategies' positions after this one.
    if (isForcedClose(event)) for (const share of liquidationShares(event, state)) this.deliver(share, sequence);
  }

  /** Before the run an error would be lost in the stream of the event, so the run throws it. */
  deliverEarly(event: AccountEvent, sequence: number): void {
    try {
      this.deliver(event, sequence);
    } catch (error) {
      this.#broken ??= { error };
    }
  }

  rethrow(): void {
    if (this.#broken !== undefined) throw this.#broken.error;
  }

  /** Starts the strategies, then delivers the earlier events, oldest first. Opening balances are not delivered to them. */
  start(saves: ReadonlyMap<string, unknown> | undefined): void {
    const { broadcast, runner, guards } = this.parts;
    guards.start();
    const early = this.#early ?? [];
    this.#early = undefined;
    if (broadcast.observers > 0) for (const { event } of early) broadcast.account(event);
    runner.start(saves);
    for (const { event, owner } of early) if (event.kind !== 'balanceChanged') runner.showAccount(event, owner);
  }

  #show(event: AccountEvent, owner: string | undefined): void {
    const { broadcast, runner } = this.parts;
    if (broadcast.observers > 0) broadcast.account(event);
    runner.showAccount(event, owner);
  }

  /** Updates everything that depends on the order: stops, exits and replacements. */
  #follow(event: OrderEvent, order: Order): void {
    const { held, amendments, groups } = this.parts;
    const over = isTerminal(order.status);
    if (event.kind === 'orderFilled') held.onFill(event.fill);
    else if (event.kind === 'orderAccepted') held.onAccepted(event);
    amendments.onEvent(event, order, over);
    groups.onEvent(event, order, over);
    if (event.kind === 'cancelRejected') held.onCancelRejected(event);
    else if (over) held.onEnded(event);
  }
}

/**
 * A liquidation as ordinary order events, one order for each strategy with a share in it. A separated position
 * belongs to the strategy whose order opened it, as far as that still holds the side. The rest is shared in whole steps, in
 * proportion to what each strategy holds. The fee is shared in proportion to the steps, and the last strategy gets the
 * rest, so that the shares sum to the fill.
 */
export function liquidationShares(event: ForcedClose, state: State): OrderEvent[] {
  const { fill } = event;
  const shares = shareLiquidation(holdersOf(state, fill.instrument, fill.positionSide), fill.steps, openerOf(event, state));
  let fee = fill.fee;
  return shares.flatMap((share, index) => {
    const last = index === shares.length - 1;
    const own = last ? fee : shareOf(fill.fee, share.steps, fill.steps);
    fee = fee.minus(own);
    const fillId = shares.length === 1 ? fill.fillId : `${fill.fillId}-${share.strategyId}`;
    const order = `liq-${event.orderId}-${share.strategyId}`;
    // A live exchange may fill one forced order in parts: each is an order here.
    const clientOrderId = state.order(order) === undefined ? order : `${order}-${fill.fillId}`;
    return eventsOf(event, filledFor(fill, share, clientOrderId, fillId, own));
  });
}

/** The strategy whose order opened the position; known where positions are separated. */
function openerOf({ fill, positionId }: ForcedClose, state: State): string | undefined {
  const position = state.position(fill.instrument, fill.positionSide);
  return positionId !== undefined && position instanceof SeparatedPosition ? position.openerOf(positionId) : undefined;
}

function filledFor(fill: Fill, { strategyId, steps }: Holding, clientOrderId: string, fillId: string, fee: Fill['fee']): Fill {
  const { orderId, instrument, side, positionSide, priceTicks, feeAsset, liquidity, tag, time } = fill;
  const notional = steps === fill.steps ? fill.notional : instrument.notional(priceTicks, steps);
  const { decidedSequence, pricedSequence, pricedTime } = fill;
  // biome-ignore format: in the order of the parameters
  return new Fill(
    fillId, orderId, clientOrderId, strategyId, instrument, side, positionSide, priceTicks, steps, notional,
    fee, feeAsset, liquidity, tag, time, decidedSequence, pricedSequence, pricedTime,
  );
}

function eventsOf({ type, time, orderId }: ForcedClose, fill: Fill): OrderEvent[] {
  const { clientOrderId } = fill;
  return [
    { kind: 'orderSubmitted', time, clientOrderId, request: requestOf(fill), type, stopTicks: undefined, again: false },
    { kind: 'orderAccepted', time, clientOrderId, orderId, held: false },
    { kind: 'orderFilled', time, clientOrderId, fill, complete: true },
  ];
}

function requestOf({
  clientOrderId,
  strategyId,
  instrument,
  side,
  positionSide,
  steps,
  tag,
  decidedSequence,
  pricedSequence,
}: Fill): OrderRequest {
  return {
    clientOrderId,
    strategyId,
    instrument,
    side,
    positionSide,
    type: 'market',
    timeInForce: 'IOC',
    postOnly: false,
    reduceOnly: true,
    priceTicks: undefined,
    triggerTicks: undefined,
    fromNextBar: false,
    steps,
    quoteQuantity: undefined,
    tag,
    released: false,
    decidedSequence,
    seenSequence: pricedSequence,
  };
}

/** Gives a fill the names of its order that its record does not have. */
function named(fill: Fill, { ref, group }: Order): void {
  fill.ref = ref;
  fill.group = group;
}
