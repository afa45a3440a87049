import type { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import { ExchangeError } from '../../../exchange/errors.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { ApprovedOrder, CancelRequest } from '../../../model/order.ts';
import { Account, type AccountParts } from '../../reconcile/account.ts';
import { FuturesMoney } from '../../reconcile/futures-money.ts';
import { answered } from '../../reconcile/records.ts';
import type { Difference, Resumed } from '../../reconcile/settings.ts';
import { ListedGrids } from '../listed-grids.ts';
import type { RequestQueue } from '../request-queue.ts';
import type { SendingSettings, Trading } from '../trading.ts';
import type { ExpectedContract } from './contract-settings.ts';
import { FuturesReads } from './futures-reads.ts';
import { FuturesSending } from './futures-sending.ts';

interface FuturesParts extends Omit<AccountParts, 'grids' | 'exchangeTime' | 'requests' | 'money' | 'half'> {
  readonly client: ExchangeClient;
  readonly queue: RequestQueue;
  /** The settings that the exchange must have. */
  readonly expected?: readonly ExpectedContract[] | undefined;
  /** The exchange's ids of quote coins. A coin that is left out has a built-in id, or is refused. */
  readonly coinIds?: ReadonlyMap<string, string> | undefined;
  /** See `SendingSettings`. */
  readonly urgencyOf?: SendingSettings['urgencyOf'];
}

/** Between two comparisons of money at the start, in ms. */
const COMPARE_MS = 500;

/** The futures half of the exchange: sends the engine's orders through the request queue, and asks what became of them. */
export class FuturesTrading implements Trading {
  readonly #parts: FuturesParts;
  readonly #account: Account;
  readonly #reads: FuturesReads;
  readonly #sending: FuturesSending;
  readonly #grids: ListedGrids;

  constructor(parts: FuturesParts) {
    this.#parts = parts;
    const { client, instruments, queue, settings, context, expected, urgencyOf } = parts;
    this.#reads = new FuturesReads(parts);
    this.#grids = new ListedGrids({ client, instruments, context, changed: () => this.#account.judge() });
    const exchangeTime = () => client.serverTime();
    const marginOf = (instrument: Instrument) => expected?.find((one) => one.instrument === instrument)?.margin;
    this.#account = new Account({
      ...parts,
      half: 'futures',
      grids: this.#grids,
      exchangeTime,
      money: new FuturesMoney({ instruments, settings, context, exchangeTime, marginOf }),
      requests: {
        get idle() {
          return queue.idle;
        },
        get scarce() {
          return queue.state.scarce;
        },
        cancel: (order) => this.#sending.cancel(order),
        takeBack: (order) => this.#sending.takeBack(order),
      },
    });
    this.#sending = new FuturesSending(client, queue, this.#account.life, context, this.#grids, { ...settings, urgencyOf });
  }

  get nextDue(): number {
    return this.#account.nextDue;
  }

  get idle(): boolean {
    return this.#account.idle;
  }

  place(orders: readonly ApprovedOrder[]): void {
    for (const order of this.#account.place(orders)) this.#sending.place(order);
  }

  cancel(request: CancelRequest): void {
    const { queue, context } = this.#parts;
    const { life } = this.#account;
    const order = this.#account.findToCancel(request);
    if (order === undefined) context.settled();
    else if (queue.withdraw(order) !== undefined) {
      life.withdrawn(order, request.reason);
      context.settled();
    } else {
      life.cancelQueued(order, request.reason);
      this.#sending.cancel(order);
    }
  }

  resume(resumed: Resumed): void {
    this.#account.resume(resumed);
  }

  async open(): Promise<readonly Difference[]> {
    const { clock } = this.#parts.context;
    await answered(this.#account.begin(), this.#reads);
    await this.round(true);
    // The start waits for money that differs. If the exchange does not reply, it is compared later.
    const until = clock.now() + 3 * this.#parts.settings.visibilityLagMs + COMPARE_MS;
    while (this.#account.waitsForMoney && clock.now() < until) {
      await new Promise<void>((resolve) => void clock.schedule(clock.now() + COMPARE_MS, resolve));
      await this.round(true).catch((error: unknown) => {
        if (!(error instanceof ExchangeError)) throw error;
      });
    }
    return this.#account.opened();
  }

  async round(full: boolean): Promise<void> {
    try {
      await answered(this.#account.round(full), this.#reads);
      await this.#grids.readIfDue();
      this.#account.judge();
    } finally {
      this.#account.freeze();
      this.#parts.context.settled();
    }
  }

  haltUntilReset(reason: string, instrument?: Instrument): void {
    this.#account.haltUntilReset(reason, instrument);
  }

  lift(): void {
    this.#account.lift();
  }
}
