import { Subject } from 'rxjs';
import type { SimulatedAccount } from '../../matching/accounts/simulated-account.ts';
import type { MatchingEngine } from '../../matching/matching-engine.ts';
import { NO_REQUESTS, type RequestsState, type VenueEvent } from '../../model/account-events.ts';
import type { Decimal } from '../../model/decimal.ts';
import type { Wallet } from '../../model/ledger.ts';
import type { ApprovedOrder, CancelRequest } from '../../model/order.ts';
import type { ExecutionVenue, HeldLevels, VenueCapabilities } from '../../ports/execution-venue.ts';
import type { HeldLevelsRelay } from './feed-leg.ts';
import { DelayQueue, hasFeedLeg, type Latency, legDelays, Overload } from './latency.ts';
import { type RequestFigures, type RequestKind, type RequestLimits, RequestPacer } from './request-pacer.ts';
import type { SimulatedClock } from './simulated-clock.ts';

/** The simulator behind the venue port: the matching room in this process, with a latency in each direction. */
export class SimulatedVenue implements ExecutionVenue {
  readonly events$ = new Subject<VenueEvent>();
  #matching: MatchingEngine | undefined;
  #account: SimulatedAccount | undefined;
  #opening = false;
  readonly #entry: DelayQueue;
  readonly #cancels: DelayQueue;
  readonly #response: DelayQueue;
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
    this.#entry = new DelayQueue(clock, legDelays(latency, 'entry'), true);
    this.#cancels = new DelayQueue(clock, legDelays(latency, 'cancel'), true);
    // With a feed leg, data reaches matching without a turn of the engine, so a reply must start its own turn.
    this.#response = new DelayQueue(clock, legDelays(latency, 'response'), !hasFeedLeg(latency));
    if (latency.overload !== undefined || latency.recorded !== undefined) this.#overload = new Overload(latency);
  }

  /** How long requests waited for the exchange's limits; `undefined` without limits. */
  get figures(): RequestFigures | undefined {
    return this.#pacer?.figures;
  }

  requests(): RequestsState {
    return this.#pacer?.state(this.clock.now()) ?? NO_REQUESTS;
  }

  connect(matching: MatchingEngine, account: SimulatedAccount): void {
    this.#matching = matching;
    this.#account = account;
    matching.addAccount(account);
  }

  /** Opens a wallet of the account with these balances; they are available at once, whatever the latency. */
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

  /** The account's events reach the engine after the response leg, in order. */
  readonly reply = (event: VenueEvent): void => {
    if (this.#opening) this.events$.next(event);
    else this.#response.send(() => this.events$.next(event));
  };

  watchHeld(levels: HeldLevels): void {
    this.held.target = levels;
  }

  /** Sends a request as soon as the limits allow it. */
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
