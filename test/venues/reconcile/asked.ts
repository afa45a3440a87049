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
  type SeenFill,
  type SeenOrder,
  type SeenPosition,
} from '../../../src/venues/reconcile/records.ts';
import { NOTHING_LOST, RECONCILE_DEFAULTS, type Resumed } from '../../../src/venues/reconcile/settings.ts';
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
  fills: SeenFill[] = [];
  /** The list of fills says for ever that there is more of it. */
  isEndless = false;
  /** The answer about bills lacks the older ones. */
  inPart = false;
  /** Client ids of the orders that were canceled after they had ended here. */
  readonly takenBack: string[] = [];
  /** Orders that the engine holds. */
  readonly held: OrderRequest[] = [];
  /** What was refused of the answers: operation and reason. */
  readonly refused: string[] = [];
  /** Requests wait for weight. */
  scarce = false;
  /** Fails a question by what it throws. */
  fails: (question: Ask) => void = () => {};
  readonly money: FuturesMoney;
  readonly account: Account;
  readonly #reads: Reads<OfContracts>;

  /** @param memory what the venue remembers over restarts, as JSON. */
  private constructor(private readonly memory = new Map<string, string>()) {
    const clock = { now: () => this.now, schedule: () => () => {} };
    const kept = {
      remember: (key: string, value: unknown) => void (value === undefined ? memory.delete(key) : memory.set(key, JSON.stringify(value))),
      recall: (key: string) => (memory.has(key) ? (JSON.parse(memory.get(key)!) as unknown) : undefined),
      request() {},
      reply() {},
    };
    const log = { debug() {}, info() {}, warn() {} };
    const common = {
      instruments: [PERP],
      settings: RECONCILE_DEFAULTS,
      context: {
        clock,
        memory: kept,
        log,
        report: (event: VenueEvent) => void this.events.push(event),
        settled() {},
        fail() {},
        refused: (operation: string, reason: string) => void this.refused.push(`${operation}: ${reason}`),
      },
      exchangeTime: () => this.now,
    };
    const isScarce = () => this.scarce;
    const requests = {
      idle: true,
      get scarce() {
        return isScarce();
      },
      cancel() {},
      takeBack: ({ clientOrderId }: TrackedOrder) => void this.takenBack.push(clientOrderId),
    };
    const lost = { ...NOTHING_LOST, heldUnder: (id: string) => this.held.find(({ clientOrderId }) => clientOrderId === id) };
    const others = { lost, isOwn: () => true, adopterOf: () => undefined, grids: { of: () => undefined } };
    this.money = new FuturesMoney({ ...common, marginOf: () => undefined });
    this.account = new Account({ ...common, ...others, half: 'futures', money: this.money, requests });
    this.#reads = {
      order: async ({ id }) => this.orders.get('orderId' in id ? id.orderId.slice(2) : id.clientOrderId),
      fills: async ({ from }) => ({ records: this.fills.filter(({ time }) => time >= from).map(copied), from, whole: !this.isEndless }),
      fillsOf: async ({ orderId }) => this.fills.filter((fill) => fill.orderId === orderId).map(copied),
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

  /** The same exchange so much later, after a start that resumes what is given here. */
  async again(afterMs: number, resumed: Partial<Resumed>): Promise<Asked> {
    const made = new Asked(this.memory);
    made.now = this.now + afterMs;
    for (const [id, order] of this.orders) made.orders.set(id, order);
    Object.assign(made, { fills: this.fills, positions: this.positions, listed: this.listed, total: this.total });
    const none = new Map();
    const known = { orders: [], balances: none, frozen: none, fillIds: none, lastTime: made.now, halts: none };
    made.account.resume({ again: true, ...known, ...resumed });
    await made.run(made.account.begin());
    await made.run(made.account.round(true));
    made.account.opened();
    return made;
  }

  /** Why the contract is halted; `undefined` while it is not. */
  get halt(): string | undefined {
    this.account.judge();
    const last = this.events.findLast((event) => event.kind === 'healthChanged');
    return last?.condition === 'halted' ? last.reason : undefined;
  }

  /** The fills that were reported: client id and steps. */
  get filled(): string[] {
    return this.events.flatMap((event) => (event.kind === 'orderFilled' ? [`${event.clientOrderId} ${event.fill.steps}`] : []));
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

/** A record of the exchange is another object at each answer. */
const copied = (fill: SeenFill): SeenFill => ({ ...fill });

/** A fill of an order of `Asked`: so many steps at 100, the limit of its bids. */
export function fill(steps: number, change: Partial<SeenFill> = {}): SeenFill {
  const quantity = new Decimal(steps);
  const price = new Decimal(100);
  const rest = { side: 'buy', positionSide: 'long', fee: new Decimal(0), profit: new Decimal(0), time: T0 } as const;
  return { fillId: 'f', orderId: 'v-a', quantity, price, notional: price.times(quantity), ...rest, ...change };
}
