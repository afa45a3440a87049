import { Subject } from 'rxjs';
import type { MatchingEngine } from '../../matching/matching-engine.ts';
import type { SimulatedAccount } from '../../matching/simulated-account.ts';
import type { Decimal } from '../../model/decimal.ts';
import type { Wallet } from '../../model/ledger.ts';
import type { ApprovedOrder, CancelRequest } from '../../model/order.ts';
import type { VenueEvent } from '../../model/order-events.ts';
import type { ExecutionVenue, HeldLevels, VenueCapabilities } from '../../ports/execution-venue.ts';
import type { HeldLevelsRelay } from './held-levels-relay.ts';
import type { SimulatedClock } from './simulated-clock.ts';

/** Constant times on the way to the exchange and back, in ms. */
export interface Latency {
  readonly entryMs: number;
  readonly cancelMs: number;
  readonly responseMs: number;
}

/** The simulator behind the venue port: the matching room in this process, after a latency each way. */
export class SimulatedVenue implements ExecutionVenue {
  readonly events$ = new Subject<VenueEvent>();
  #matching: MatchingEngine | undefined;
  #account: SimulatedAccount | undefined;
  #opening = false;

  constructor(
    readonly capabilities: VenueCapabilities,
    private readonly clock: SimulatedClock,
    private readonly latency: Latency,
    private readonly held: HeldLevelsRelay,
  ) {}

  connect(matching: MatchingEngine, account: SimulatedAccount): void {
    this.#matching = matching;
    this.#account = account;
    matching.addAccount(account);
  }

  /** Opens a wallet of the account with these balances; they are known at once, whatever the latency. */
  deposit(wallet: Wallet, balances: ReadonlyMap<string, Decimal>): void {
    this.#opening = true;
    for (const [asset, amount] of balances) this.#account?.deposit(this.clock.now(), wallet, asset, amount);
    this.#opening = false;
  }

  submit(orders: readonly ApprovedOrder[]): void {
    const { entryMs } = this.latency;
    for (const order of orders) {
      this.#after(entryMs, () => this.#matching?.submit(this.#account!, order, this.clock.now()));
    }
  }

  cancel({ clientOrderId, reason }: CancelRequest): void {
    this.#after(this.latency.cancelMs, () => this.#matching?.cancel(this.#account!, clientOrderId, this.clock.now(), reason));
  }

  /** What the account tells reaches the engine after the response leg, in order. */
  readonly reply = (event: VenueEvent): void => {
    this.#after(this.#opening ? 0 : this.latency.responseMs, () => this.events$.next(event));
  };

  watchHeld(levels: HeldLevels): void {
    this.held.target = levels;
  }

  #after(delayMs: number, action: () => void): void {
    if (delayMs === 0) action();
    else this.clock.venue.add(this.clock.now() + delayMs, action);
  }
}
