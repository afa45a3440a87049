import type { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import { ExchangeError } from '../../../exchange/errors.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { ApprovedOrder, CancelRequest } from '../../../model/order.ts';
import { Account, type AccountParts } from '../../reconcile/account.ts';
import type { TrackedOrder } from '../../reconcile/order-record.ts';
import { type Asking, answered } from '../../reconcile/records.ts';
import type { Difference, Resumed } from '../../reconcile/settings.ts';
import { SpotMoney } from '../../reconcile/spot-money.ts';
import { ListedGrids } from '../listed-grids.ts';
import type { RequestQueue } from '../request-queue.ts';
import type { SendingSettings, Trading } from '../trading.ts';
import { SpotReads } from './spot-reads.ts';
import { SpotSending } from './spot-sending.ts';

interface SpotParts extends Omit<AccountParts, 'grids' | 'exchangeTime' | 'requests' | 'money' | 'half'> {
  readonly client: ExchangeClient;
  readonly queue: RequestQueue;
  /** See `SendingSettings`. */
  readonly urgencyOf?: SendingSettings['urgencyOf'];
}

/** Between two comparisons of balances at the start, in ms. */
const COMPARE_MS = 500;

/** The spot half of the exchange: sends the engine's orders through the request queue, and asks what became of them. */
export class SpotTrading implements Trading {
  readonly #parts: SpotParts;
  readonly #account: Account;
  readonly #reads: SpotReads;
  readonly #sending: SpotSending;
  readonly #grids: ListedGrids;

  constructor(parts: SpotParts) {
    this.#parts = parts;
    const { client, instruments, queue, settings, context, urgencyOf } = parts;
    this.#reads = new SpotReads(client, instruments, context.log);
    this.#grids = new ListedGrids({ client, instruments, context, changed: () => this.#account.judge() });
    const exchangeTime = () => client.serverTime();
    this.#account = new Account({
      ...parts,
      half: 'spot',
      grids: this.#grids,
      exchangeTime,
      money: new SpotMoney({ instruments, settings, context, exchangeTime }),
      requests: {
        get idle() {
          return queue.idle;
        },
        get scarce() {
          return queue.state.scarce;
        },
        cancel: (order) => this.#sending.cancel(order),
      },
    });
    const outlets = {
      lookNow: (order: TrackedOrder) => this.#lookNow(order),
      explain: (...refused: Parameters<ListedGrids['explain']>) => this.#grids.explain(...refused),
    };
    this.#sending = new SpotSending(client, queue, this.#account.life, context, outlets, { ...settings, urgencyOf });
  }

  get nextDue(): number {
    return this.#account.nextDue;
  }

  get idle(): boolean {
    return this.#account.idle;
  }

  place(orders: readonly ApprovedOrder[]): void {
    this.#sending.place(this.#account.place(orders));
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
    await this.#answered(this.#account.begin());
    await this.round(true);
    // The start waits for balances that differ. If the exchange does not reply, they are compared later.
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
      await this.#answered(this.#account.round(full));
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

  /** Outside the round, which may read other things for long. */
  #lookNow(order: TrackedOrder): void {
    const { context } = this.#parts;
    this.#answered(this.#account.look(order))
      .catch((error: unknown) => {
        if (!(error instanceof ExchangeError)) context.fail(error);
      })
      .finally(() => {
        this.#account.freeze();
        context.settled();
      });
  }

  #answered(asking: Asking): Promise<void> {
    return answered(asking, this.#reads);
  }
}
