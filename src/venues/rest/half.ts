import type { ExchangeClient } from '../../exchange/client/exchange-client.ts';
import { ExchangeError } from '../../exchange/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { ApprovedOrder, CancelRequest } from '../../model/order.ts';
import { Account, type AccountParts } from '../reconcile/account.ts';
import type { Money } from '../reconcile/money.ts';
import type { TrackedOrder } from '../reconcile/order-record.ts';
import { type Asking, answered, type Reads } from '../reconcile/records.ts';
import type { Difference, Resumed } from '../reconcile/settings.ts';
import { ListedGrids } from './listed-grids.ts';
import type { RequestQueue } from './request-queue.ts';
import { type OrderWire, Sending } from './sending.ts';
import type { SendingSettings, Trading } from './trading.ts';

/** The parts that differ between the halves. */
interface HalfForm {
  readonly reads: Partial<Reads>;
  readonly wire: OrderWire;
  readonly money: Money;
  /** A setting of the instrument that was changed at the exchange, for people: nothing is opened on it. */
  changeOf?(instrument: Instrument): string | undefined;
  /** Called at each start, before anything is read. @throws ExchangeError. */
  prepare?(): Promise<void>;
}

export interface HalfParts extends Omit<AccountParts, 'grids' | 'exchangeTime' | 'requests' | 'money' | 'half'> {
  readonly client: ExchangeClient;
  readonly queue: RequestQueue;
  /** See `SendingSettings`. */
  readonly urgencyOf?: SendingSettings['urgencyOf'];
}

/** Between two comparisons of money at the start, in ms. */
const COMPARE_MS = 500;
/** How often a question is asked at most: an exchange with occasional errors must not fail a start, or a round, at each of its many questions. */
const TRIES = 2;

/** One half of the exchange, spot or futures: sends the engine's orders through the request queue, and asks what became of them. */
export class Half implements Trading {
  readonly #parts: HalfParts;
  readonly #form: HalfForm;
  readonly #account: Account;
  readonly #sending: Sending;
  readonly #grids: ListedGrids;
  answers = 0;

  constructor(half: 'spot' | 'futures', parts: HalfParts, form: HalfForm) {
    this.#parts = parts;
    this.#form = form;
    const { client, instruments, queue, settings, context, urgencyOf } = parts;
    this.#grids = new ListedGrids({ client, instruments, context, changed: () => this.#account.judge() });
    this.#account = new Account({
      ...parts,
      half,
      grids: { of: (instrument) => this.#changeOf(instrument) },
      exchangeTime: () => client.serverTime(),
      money: form.money,
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
    const outlets = {
      explain: (...refused: Parameters<ListedGrids['explain']>) => this.#grids.explain(...refused),
      canceled: (order: TrackedOrder) => {
        // A close by a command may wait for these coins, and a round of all reads would take several answers.
        const reason = order.pendingCancel?.reason;
        if (half === 'spot' && order.request.side === 'sell' && (reason === 'killed' || reason === 'closing')) this.#lookNow(order);
      },
    };
    this.#sending = new Sending(form.wire, queue, this.#account.life, context, outlets, { ...settings, urgencyOf });
  }

  get nextDue(): number {
    return this.#account.nextDue;
  }

  get idle(): boolean {
    return this.#account.settled;
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
    await this.#form.prepare?.();
    await this.#answered(this.#account.begin());
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

  #changeOf(instrument: Instrument): ReturnType<ListedGrids['of']> {
    const listed = this.#grids.of(instrument);
    const reason = this.#form.changeOf?.(instrument);
    if (reason === undefined) return listed;
    return { grid: listed?.grid, isTraded: listed?.isTraded ?? true, reason: [listed?.reason, reason].filter(Boolean).join('; ') };
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
    return answered(asking, this.#form.reads, TRIES, () => {
      this.answers++;
    });
  }
}
