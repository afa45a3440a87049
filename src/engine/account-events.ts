import { type AccountEvent, isOrderEvent, type OrderEvent } from '../model/order-events.ts';
import { isTerminal } from '../model/order-state.ts';
import type { Journal } from '../ports/journal.ts';
import { applyAccount } from '../state/apply.ts';
import type { Order } from '../state/order.ts';
import type { State } from '../state/state.ts';
import type { Broadcast } from './broadcast.ts';
import { liquidationShares } from './guards/liquidation-shares.ts';
import type { RiskGuards } from './guards/risk-guards.ts';
import type { HeldDesk } from './held/held-desk.ts';
import type { TriggerTimeouts } from './held/trigger-timeouts.ts';
import type { Audience } from './strategies/audience.ts';

export interface AccountEventsParts {
  readonly state: State;
  readonly journal: Journal;
  readonly held: HeldDesk;
  readonly timeouts: TriggerTimeouts;
  readonly guards: RiskGuards;
  readonly broadcast: Broadcast;
  readonly audience: Audience;
}

/** Takes in what happened to the account: state, journal, what hangs on orders, then observers and strategies. */
export class AccountEvents {
  /** What came before the start, in the state already: observers and strategies are told when they are there. */
  #early: { readonly event: AccountEvent; readonly owner: string | undefined }[] | undefined = [];
  /** What broke before the run. */
  #broken: { readonly error: unknown } | undefined;

  constructor(private readonly parts: AccountEventsParts) {}

  /** @param sequence of the newest data the engine acts on. */
  deliver(event: AccountEvent, sequence: number): void {
    const { state, journal, guards } = this.parts;
    applyAccount(state, event);
    journal.event(sequence, event);
    const order = isOrderEvent(event) ? state.order(event.clientOrderId) : undefined;
    if (order !== undefined) this.#follow(event as OrderEvent, order);
    const owner = 'strategyId' in event ? event.strategyId : order?.strategyId;
    guards.onEvent(event, owner);
    if (this.#early === undefined) this.#show(event, owner);
    else this.#early.push({ event, owner });
    // At once, so that the next liquidation of the side finds the strategies as this one leaves them.
    if (event.kind === 'positionLiquidated') for (const share of liquidationShares(event, state)) this.deliver(share, sequence);
  }

  /** Before the run: what throws would be lost in the stream it came by, so the run throws it. */
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

  /** The strategies start; what came before is shown to them right after, oldest first. Opening balances are no news to them. */
  start(saves: ReadonlyMap<string, unknown> | undefined): void {
    const { broadcast, audience, guards } = this.parts;
    guards.start();
    const early = this.#early ?? [];
    this.#early = undefined;
    if (broadcast.observers > 0) for (const { event } of early) broadcast.account(event);
    audience.start(saves);
    for (const { event, owner } of early) if (event.kind !== 'balanceChanged') audience.showAccount(event, owner);
  }

  #show(event: AccountEvent, owner: string | undefined): void {
    const { broadcast, audience } = this.parts;
    if (broadcast.observers > 0) broadcast.account(event);
    audience.showAccount(event, owner);
  }

  /** What hangs on the order: stops and exits, and orders that go out anew. */
  #follow(event: OrderEvent, order: Order): void {
    const { held, timeouts } = this.parts;
    const over = isTerminal(order.status);
    if (event.kind === 'orderFilled') held.onFill(event.fill);
    else if (event.kind === 'orderAccepted') held.onAccepted(event);
    if (!timeouts.onEvent(event, order, over) && over) held.onEnded(event);
  }
}
