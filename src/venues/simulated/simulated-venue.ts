import { Subject } from 'rxjs';
import type { SimulatedAccount } from '../../matching/accounts/simulated-account.ts';
import type { MatchingEngine } from '../../matching/matching-engine.ts';
import { NO_REQUESTS, type RequestsStanding, type VenueEvent } from '../../model/account-events.ts';
import type { Decimal } from '../../model/decimal.ts';
import type { Wallet } from '../../model/ledger.ts';
import type { ApprovedOrder, CancelRequest } from '../../model/order.ts';
import type { ExecutionVenue, HeldLevels, VenueCapabilities } from '../../ports/execution-venue.ts';
import type { HeldLevelsRelay } from './feed-leg.ts';
import { hasFeedLeg, Lane, type Latency, legDelays, Overload } from './latency.ts';
import { type RequestFigures, type RequestKind, type RequestLimits, RequestPacer } from './request-pacer.ts';
import type { SimulatedClock } from './simulated-clock.ts';

/** The simulator behind the venue port: the matching room in this process, after a latency each way. */
export class SimulatedVenue implements ExecutionVenue {
  readonly events$ = new Subject<VenueEvent>();
  #matching: MatchingEngine | undefined;
  #account: SimulatedAccount | undefined;
  #opening = false;
  readonly #entry: Lane;
  readonly #cancels: Lane;
  readonly #response: Lane;
  readonly #overload: Overload | undefined;
  readonly #pacer: RequestPacer | undefined;

  constructor(
    readonly capabilities: VenueCapabilities,
    private readonly clock: SimulatedClock,
    latency: Latency,
    private readonly held: HeldLevelsRelay,
    limits?: RequestLimits,
  ) {
    if (limits !== undefined) this.#pacer = new RequestPacer(limits);
    this.#entry = new Lane(clock, legDelays(latency, 'entry'), true);
    this.#cancels = new Lane(clock, legDelays(latency, 'cancel'), true);
    // Where data reaches matching without a turn of the engine, a reply has to bring about its own.
    this.#response = new Lane(clock, legDelays(latency, 'response'), !hasFeedLeg(latency));
    if (latency.overload !== undefined || latency.recorded !== undefined) this.#overload = new Overload(latency);
  }

  /** What waiting for the exchange's limits came to, where there are any. */
  get figures(): RequestFigures | undefined {
    return this.#pacer?.figures;
  }

  requests(): RequestsStanding {
    return this.#pacer?.standing(this.clock.now()) ?? NO_REQUESTS;
  }

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

  /** Spot orders of one symbol leave as one request, futures orders one by one. */
  submit(orders: readonly ApprovedOrder[]): void {
    if (this.#pacer === undefined) this.#send(orders);
    else if (orders[0]?.instrument.contract === undefined) this.#request('spotOrders', () => this.#send(orders), orders.length);
    else for (const order of orders) this.#request('futuresOrder', () => this.#send([order]));
  }

  cancel({ clientOrderId, instrument, reason }: CancelRequest): void {
    const send = () => this.#cancels.send(() => this.#matching?.cancel(this.#account!, clientOrderId, this.clock.now(), reason));
    if (this.#pacer === undefined) send();
    else this.#request(instrument.contract === undefined ? 'spotCancel' : 'futuresCancel', send);
  }

  #send(orders: readonly ApprovedOrder[]): void {
    for (const order of orders) {
      const refused = this.#overload?.refusesAt(this.clock.now()) ?? false;
      this.#entry.send(() => this.#arrive(order, refused), !refused);
    }
  }

  /** What the account tells reaches the engine after the response leg, in order. */
  readonly reply = (event: VenueEvent): void => {
    if (this.#opening) this.events$.next(event);
    else this.#response.send(() => this.events$.next(event));
  };

  watchHeld(levels: HeldLevels): void {
    this.held.target = levels;
  }

  /** Leaves once the limits have room for it. */
  #request(kind: RequestKind, send: () => void, actions = 1): void {
    const now = this.clock.now();
    const time = this.#pacer!.leaves(now, kind, actions);
    if (time === now) send();
    else this.clock.venue.add(time, send);
  }

  /** @param refused a recorded row says that the exchange was overloaded. */
  #arrive(order: ApprovedOrder, refused: boolean): void {
    const time = this.clock.now();
    const reason = this.#overload?.refusal(time, refused);
    if (reason === undefined) this.#matching?.submit(this.#account!, order, time);
    else this.reply({ kind: 'orderRejected', time, clientOrderId: order.clientOrderId, reason });
  }
}
