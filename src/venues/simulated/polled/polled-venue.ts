import { Subject } from 'rxjs';
import type { SimulatedAccount } from '../../../matching/accounts/simulated-account.ts';
import type { MatchingEngine } from '../../../matching/matching-engine.ts';
import type { VenueEvent } from '../../../model/account-events.ts';
import type { Decimal } from '../../../model/decimal.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Wallet } from '../../../model/ledger.ts';
import type { ApprovedOrder, CancelRequest } from '../../../model/order.ts';
import type { ExecutionVenue, VenueCapabilities } from '../../../ports/execution-venue.ts';
import { type HalfOptions, PolledHalf } from './polled-half.ts';

interface PolledVenueOptions extends Pick<HalfOptions, 'clock' | 'log' | 'settings' | 'instruments' | 'isNetting' | 'marginOf'> {
  readonly capabilities: VenueCapabilities;
  /** The account has a futures wallet, and the run trades contracts. */
  readonly hasContracts: boolean;
}

/**
 * The simulator as a bot that polls sees it: requests leave one after another, each gets its reply, and questions find the state of orders.
 * Only the wait between two looks takes time.
 */
export class PolledVenue implements ExecutionVenue {
  readonly capabilities: VenueCapabilities;
  readonly events$ = new Subject<VenueEvent>();
  readonly #options: PolledVenueOptions;
  readonly #spot: PolledHalf;
  readonly #futures: PolledHalf | undefined;
  /** Requests that wait for the previous one; each returns whether there was a reply. */
  #requestQueue: (() => boolean)[] = [];
  #matching: MatchingEngine | undefined;
  #account: SimulatedAccount | undefined;
  #isOpening = false;
  /** The half of a look that covers contracts. */
  #contractLook: Iterator<void, void> | undefined;
  /** Its first question has been asked. */
  #contractsAsked = true;
  /**
   * Time of due questions when the look began, and the time at which it ended. If the look did not move it, the questions wait for the next
   * multiple of the period.
   */
  #dueBefore = Number.NaN;
  #leftDue = Number.NaN;
  #fullAt = Number.NEGATIVE_INFINITY;

  constructor(options: PolledVenueOptions) {
    this.#options = options;
    this.capabilities = options.capabilities;
    const { instruments, hasContracts } = options;
    const common = {
      ...options,
      matching: () => this.#matching!,
      account: () => this.#account!,
      report: (event: VenueEvent) => this.events$.next(event),
      send: (request: () => boolean) => void this.#requestQueue.push(request),
      isIdle: () => this.#requestQueue.length === 0,
    };
    const isSpot = ({ contract }: Instrument) => contract === undefined || !hasContracts;
    this.#spot = new PolledHalf('spot', { ...common, instruments: instruments.filter(isSpot) });
    if (hasContracts) this.#futures = new PolledHalf('futures', { ...common, instruments: instruments.filter((one) => !isSpot(one)) });
  }

  connect(matching: MatchingEngine, account: SimulatedAccount): void {
    this.#matching = matching;
    this.#account = account;
    matching.addAccount(account);
  }

  /** Opens a wallet of the account with these balances, which are available at once. */
  deposit(wallet: Wallet, balances: ReadonlyMap<string, Decimal>): void {
    this.#isOpening = true;
    for (const [asset, amount] of balances) this.#account?.deposit(this.#now, wallet, asset, amount);
    this.#isOpening = false;
    if (wallet === 'futures') this.#futures?.begin();
  }

  /** Takes the account's events as they happen; they are published at the next look. */
  readonly reply = (event: VenueEvent): void => {
    // Orders and their fills are known to the half that has placed them.
    const isOfFutures = event.kind === 'balanceChanged' ? event.balance.wallet === 'futures' : undefined;
    if (isOfFutures !== true) this.#spot.take(event);
    if (isOfFutures !== false) this.#futures?.take(event);
    if (!this.#isOpening || isOfFutures !== false || event.kind !== 'balanceChanged' || event.entry === undefined) return;
    const { asset, amount, reason } = event.entry;
    this.#spot.money.wallet.post(asset, amount, reason);
  };

  /** The engine compares its held orders with the polled prices: there is no path on which to pause. */
  watchHeld(): void {}

  submit(orders: readonly ApprovedOrder[]): void {
    const [first] = orders;
    if (first !== undefined) this.#halfOf(first.instrument).place(orders);
  }

  cancel(request: CancelRequest): void {
    this.#halfOf(request.instrument).cancel(request);
  }

  /** Epoch ms at which something is due between the multiples of the period; `Infinity` where nothing is. */
  get nextDue(): number {
    if (this.#contractLook !== undefined || this.#requestQueue.length > 0) return this.#now;
    const due = this.#lookDue;
    return due <= this.#now && due === this.#leftDue ? Number.POSITIVE_INFINITY : due;
  }

  /** A change was seen and is not reported yet. */
  get waits(): boolean {
    return this.#futures?.money.waits ?? false;
  }

  /**
   * Does the next thing that is due now: a request with its reply, else the half of a look that covers contracts, else a look.
   * @returns false where there is none.
   */
  step(): boolean {
    if (!this.#contractsAsked && this.#contractLook?.next().done) this.#endLook();
    this.#contractsAsked = true;
    for (let send = this.#requestQueue.shift(); send !== undefined; send = this.#requestQueue.shift()) if (send()) return true;
    if (this.#contractLook !== undefined) {
      this.#contractLook.next();
      this.#endLook();
      return true;
    }
    if (this.nextDue > this.#now) return false;
    this.look();
    return true;
  }

  /** One look: at fills and balances where they are due, then at each due order; after a turn and its requests, contracts follow. */
  look(): void {
    const now = this.#now;
    const { settings } = this.#options;
    const full = now >= this.#fullAt + settings.lookupMs;
    if (full) this.#fullAt = now;
    this.#dueBefore = this.#lookDue;
    for (const look = this.#spot.look(full); !look.next().done; );
    this.#contractLook = this.#futures?.look(full);
    this.#contractsAsked = false;
    if (this.#futures === undefined) this.#endLook();
  }

  /** The run has ended, and open orders ended with it, whether reported or requested or not. */
  finish(): void {
    this.#spot.finish();
    this.look();
    this.#contractLook = undefined;
    this.#futures?.finish();
  }

  #endLook(): void {
    this.#contractLook = undefined;
    const isLeft = this.#dueBefore <= this.#now && this.#lookDue === this.#dueBefore;
    this.#leftDue = isLeft ? this.#dueBefore : Number.NaN;
  }

  get #lookDue(): number {
    return Math.min(this.#spot.known.nextDue, this.#futures?.known.nextDue ?? Number.POSITIVE_INFINITY);
  }

  get #now(): number {
    return this.#options.clock.now();
  }

  #halfOf({ contract }: Instrument): PolledHalf {
    return contract !== undefined && this.#futures !== undefined ? this.#futures : this.#spot;
  }
}
