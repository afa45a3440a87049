import { ExchangeError } from '../../../src/exchange/errors.ts';
import type { VenueEvent } from '../../../src/model/account-events.ts';
import { Decimal, ZERO } from '../../../src/model/decimal.ts';
import type { OrderRequest } from '../../../src/model/order.ts';
import { Account } from '../../../src/venues/reconcile/account.ts';
import { FuturesMoney } from '../../../src/venues/reconcile/futures-money.ts';
import type { TrackedOrder } from '../../../src/venues/reconcile/order-record.ts';
import {
  type Ask,
  type Asking,
  answered,
  type OfContracts,
  type Reads,
  type SeenBill,
  type SeenOrder,
  type SeenPosition,
} from '../../../src/venues/reconcile/records.ts';
import { RECONCILE_DEFAULTS } from '../../../src/venues/reconcile/settings.ts';
import { order, perpetual, T0 } from '../../builders.ts';

export const PERP = perpetual({ symbol: 'BTC-USDT-PERP' });

/** No reply: a later try may succeed. */
export const noReply = (message = 'no reply') =>
  new ExchangeError({ operation: 'futuresFills', cause: 'timedOut', scope: 'read', message });

/** The orders and the money of a futures account whose questions are written down and answered as the test says. */
export class Asked {
  now = T0;
  readonly events: VenueEvent[] = [];
  readonly asked: Ask[] = [];
  /** What the exchange has: orders by client id, the ids of those that its list shows, in its order, and the money. */
  readonly orders = new Map<string, SeenOrder>();
  listed: string[] = [];
  total = '1000';
  positions: SeenPosition[] = [];
  bills: SeenBill[] = [];
  /** The answer about bills lacks the older ones. */
  inPart = false;
  /** Requests wait for weight. */
  scarce = false;
  /** Fails a question by what it throws. */
  fails: (question: Ask) => void = () => {};
  readonly money: FuturesMoney;
  readonly account: Account;
  readonly #reads: Reads<OfContracts>;

  private constructor() {
    const clock = { now: () => this.now, schedule: () => () => {} };
    const memory = { remember() {}, recall: () => undefined, request() {}, reply() {} };
    const log = { debug() {}, info() {}, warn() {} };
    const common = {
      instruments: [PERP],
      settings: RECONCILE_DEFAULTS,
      context: { clock, memory, log, report: (event: VenueEvent) => void this.events.push(event), settled() {}, fail() {} },
      exchangeTime: () => this.now,
    };
    const isScarce = () => this.scarce;
    const requests = {
      idle: true,
      get scarce() {
        return isScarce();
      },
      cancel() {},
    };
    const others = { isOwn: () => true, adopterOf: () => undefined, grids: { of: () => undefined } };
    this.money = new FuturesMoney({ ...common, marginOf: () => undefined });
    this.account = new Account({ ...common, ...others, half: 'futures', money: this.money, requests });
    this.#reads = {
      order: async ({ id }) => this.orders.get('orderId' in id ? id.orderId.slice(2) : id.clientOrderId),
      fills: async ({ from }) => ({ records: [], from, whole: true }),
      fillsOf: async () => [],
      openOrders: async () => this.listed.map((clientOrderId) => this.orders.get(clientOrderId)!),
      // Another total or another position is another version.
      picture: async () => ({
        version: `${this.total} ${this.positions.map(({ steps }) => steps)}`,
        total: new Decimal(this.total),
        positions: this.positions,
      }),
      bills: async ({ from }) => ({ records: this.bills, from, whole: !this.inPart }),
    };
  }

  /** A first start, with what the exchange has as the baseline. */
  static async begun(): Promise<Asked> {
    const made = new Asked();
    const none = new Map();
    made.account.resume({ again: false, orders: [], balances: none, frozen: none, fillIds: none, lastTime: T0, halts: none });
    await made.run(made.account.begin());
    await made.run(made.account.round(true));
    made.account.opened();
    made.asked.length = 0;
    return made;
  }

  run<T>(asking: Asking<T>): Promise<T> {
    const put = (question: Ask) => {
      this.asked.push(question);
      this.fails(question);
      return (this.#reads[question.ask as OfContracts] as (question: Ask) => Promise<never>)(question);
    };
    const asker = async (question: Ask) => put(question);
    return answered(asking, { order: asker, fills: asker, fillsOf: asker, openOrders: asker, picture: asker, bills: asker });
  }

  /** One round, so many ms later. @returns what it asked, in words. */
  async round(afterMs = 0, full = false): Promise<string[]> {
    this.now += afterMs;
    this.asked.length = 0;
    await this.run(this.account.round(full));
    return this.words;
  }

  /** The questions since they were last cleared: `order a` or their kind. */
  get words(): string[] {
    return this.asked.map((one) => {
      if (one.ask !== 'order') return one.ask;
      return `order ${'orderId' in one.id ? one.id.orderId.slice(2) : one.id.clientOrderId}`;
    });
  }

  /** A bid of 10 steps that has left. The exchange has it; its id there is the client id after `v-`. */
  place(clientOrderId: string, request: Partial<OrderRequest> = {}): TrackedOrder {
    const [placed] = this.account.place([order({ instrument: PERP, clientOrderId, steps: 10, priceTicks: 100, ...request })]);
    this.orders.set(clientOrderId, {
      orderId: `v-${clientOrderId}`,
      clientOrderId,
      symbol: PERP.symbol,
      side: 'buy',
      positionSide: 'long',
      type: 'limit',
      price: new Decimal(100),
      quantity: new Decimal(10),
      filled: ZERO,
      average: undefined,
      status: 'open',
      createdAt: this.now,
    });
    return placed!;
  }

  /** The same, and the exchange has confirmed it. */
  rest(clientOrderId: string, request: Partial<OrderRequest> = {}): TrackedOrder {
    const placed = this.place(clientOrderId, request);
    this.account.life.accepted(placed, `v-${clientOrderId}`);
    return placed;
  }
}
