import { ExchangeError } from '../../../../src/exchange/errors.ts';
import type { VenueEvent } from '../../../../src/model/account-events.ts';
import type { OrderRequest } from '../../../../src/model/order.ts';
import type { CancelReason } from '../../../../src/model/reasons.ts';
import type { ResumedOrder } from '../../../../src/ports/execution-venue.ts';
import { NOTHING_LOST, RECONCILE_DEFAULTS, type ReconcileSettings } from '../../../../src/venues/reconcile/settings.ts';
import { RequestQueue } from '../../../../src/venues/rest/request-queue.ts';
import { spotHalf } from '../../../../src/venues/rest/spot/spot-half.ts';
import { instrument, order, T0 } from '../../../builders.ts';
import { SimClock } from '../../../faults/sim-clock.ts';

export const BTC = instrument({ symbol: 'BTC-USDT' });
const NOT_FOUND = '43001';

/** What the exchange says of an order; one that is not listed does not exist. */
export interface Listed {
  status: 'new' | 'partial_fill' | 'full_fill' | 'cancelled';
  /** Steps that it reports as filled. */
  filled: number;
}

/** One fill record, of whole steps at a price of 100. */
interface Filled {
  readonly fillId: string;
  readonly orderId: string;
  /** Ms after `T0`: its stamp. */
  readonly at: number;
  readonly steps: number;
  /** Ms after `T0` from when it is in the lists; from its stamp on unless said otherwise. */
  readonly visibleAt?: number;
  /** It is listed under its order alone, not in the list of a period. */
  readonly byOrderOnly?: boolean;
}

const failed = (
  operation: 'orderInfo' | 'cancelOrder' | 'batchOrders',
  cause: ConstructorParameters<typeof ExchangeError>[0]['cause'],
  message = 'as scripted',
) => new ExchangeError({ operation, cause, scope: operation === 'orderInfo' ? 'read' : 'one', message });

/**
 * A spot half on an exchange that answers at once, with what the test has written down. Balances agree with what is told,
 * so orders and fills alone matter.
 */
export class Scripted {
  readonly clock = new SimClock(T0);
  /** By client id. The exchange's id is the client id after `v-`. */
  readonly orders = new Map<string, Listed>();
  readonly fills: Filled[] = [];
  readonly events: VenueEvent[] = [];
  /** What acted, as it left: operation, client id, ms after `T0`. */
  readonly acted: [operation: string, id: string, at: number][] = [];
  /** Where the periods that fills were asked for begin, in ms after `T0`. */
  readonly askedFrom: number[] = [];
  readonly looks: number[] = [];
  /** What is wrong with look-ups, placing and cancels. */
  lookFails: Parameters<typeof failed>[1] | undefined;
  /** So many look-ups get no reply. */
  lookFailures = 0;
  placeFails: Parameters<typeof failed>[1] | undefined;
  placeMessage: string | undefined;
  /** A cancel that is not answered has not acted. */
  cancelFails: Parameters<typeof failed>[1] | undefined;
  /** What is frozen of the quote, in text. */
  frozen = '0';
  /** Base coins of the account, in text. */
  base = '0';
  /** Quote that fills have cost. */
  spent = 0;
  /** Look-ups by the exchange's id find nothing. */
  idIsForgotten = false;
  /** The reply to a placing names this order, which does not exist. */
  madeUpId: string | undefined;
  /** What operation 2 lists. */
  listings: { symbol: string; tickSize: string; stepSize: string; minTradeAmount: string; enableTrade: boolean }[] = [];
  /** How often balances were read. */
  balancesRead = 0;
  /** The exchange's ids in its answers are rounded: no cancel and no look-up by one finds its order. */
  idsAreRounded = false;
  /** What an answered cancel says; where it says yes, the order stays as the test has written it down. */
  cancelSays = true;
  readonly trading: ReturnType<typeof spotHalf>;
  /** What the engine holds. */
  held: readonly OrderRequest[] = [];

  /** @param memory what the venue remembers over restarts. */
  private constructor(
    settings: Partial<ReconcileSettings>,
    readonly memory = new Map<string, unknown>(),
  ) {
    const { clock } = this;
    const requests = new RequestQueue(clock, 1_000, (error) => {
      throw error;
    });
    requests.open();
    const log = { debug() {}, info() {}, warn() {} };
    const kept = {
      remember: (key: string, value: unknown) => void (value === undefined ? memory.delete(key) : memory.set(key, value)),
      recall: (key: string) => memory.get(key),
      request() {},
      reply() {},
    };
    this.trading = spotHalf({
      client: this.#client as never,
      instruments: [BTC],
      queue: requests,
      settings: { ...RECONCILE_DEFAULTS, ...settings },
      context: { clock, memory: kept, log, report: (event) => void this.events.push(event), settled() {}, fail() {} },
      isOwn: () => true,
      adopterOf: () => undefined,
      lost: { ...NOTHING_LOST, heldUnder: (id) => this.held.find(({ clientOrderId }) => clientOrderId === id) },
    });
  }

  /** @param resumed orders that the journal knows. */
  static async open(resumed: readonly ResumedOrder[] = [], settings: Partial<ReconcileSettings> = {}): Promise<Scripted> {
    const scripted = new Scripted(settings);
    await scripted.begin(resumed);
    return scripted;
  }

  /** One whose start is still to come: the test writes down first what it finds. @param memory of the life before. */
  static unopened(memory?: Map<string, unknown>): Scripted {
    return new Scripted({}, memory);
  }

  /** Ten steps for at most 100 each, unless said otherwise. */
  request(clientOrderId: string, request: Partial<OrderRequest> = {}): ReturnType<typeof order> {
    return order({ instrument: BTC, clientOrderId, steps: 10, priceTicks: 100, ...request });
  }

  async place(
    clientOrderId: string,
    listed: Listed | undefined = { status: 'new', filled: 0 },
    request: Partial<OrderRequest> = {},
  ): Promise<void> {
    if (listed !== undefined) this.orders.set(clientOrderId, listed);
    this.trading.place([this.request(clientOrderId, request)]);
    await this.pass(0);
  }

  async cancel(clientOrderId: string, reason: CancelReason = 'requested'): Promise<void> {
    this.trading.cancel({ clientOrderId, instrument: BTC, reason });
    await this.pass(0);
  }

  /** Time goes on; then one look at what is due. */
  async round(ms = 1_000, full = false): Promise<void> {
    await this.pass(ms);
    await this.trading.round(full).catch((error: unknown) => {
      if (!(error instanceof ExchangeError)) throw error;
    });
  }

  async rounds(count: number, ms = 1_000): Promise<void> {
    for (let round = 0; round < count; round++) await this.round(ms);
  }

  pass(ms: number): Promise<void> {
    return this.clock.runTo(this.clock.now() + ms);
  }

  /** What was told of orders, in its order: kind, client id, and steps of a fill. */
  get told(): string[] {
    return this.events.flatMap((event) => {
      if (event.kind === 'orderFilled') return [`orderFilled ${event.clientOrderId} ${event.fill.steps}`];
      return event.kind.startsWith('order') || event.kind === 'cancelRejected'
        ? [`${event.kind} ${(event as { clientOrderId: string }).clientOrderId}`]
        : [];
    });
  }

  /** @param held orders that the engine holds by the journal. */
  async begin(resumed: readonly ResumedOrder[], held: readonly OrderRequest[] = []): Promise<void> {
    const none = new Map();
    const again = resumed.length + held.length > 0;
    const nextIds = (batch: number) => (batch === 0 ? held.map(({ clientOrderId }) => clientOrderId) : []);
    const known = { again, orders: resumed, nextIds };
    this.held = held;
    this.trading.resume({ ...known, balances: none, frozen: none, fillIds: none, lastTime: T0, halts: none });
    // A start may wait for what is seen to stay.
    const waits = held.length > 0 || resumed.some(({ status }) => status === 'vanished' || status === 'rejected');
    let isOpen = false;
    const opened = this.trading.open().then(() => {
      isOpen = true;
    });
    for (let left = 100; !isOpen && left > 0; left--) await this.pass(waits ? 500 : 0);
    await opened;
  }

  get #since(): number {
    return this.clock.now() - T0;
  }

  get #client() {
    return {
      serverTime: () => this.clock.now(),
      exchangeInfo: async () => this.listings,
      accountAssets: async () => {
        this.balancesRead++;
        const equity = 100_000 - this.spent;
        const available = String(equity - Number(this.frozen));
        return [
          { coinId: 2, coinName: 'USDT', available, frozen: this.frozen, equity: String(equity) },
          { coinId: 1, coinName: 'BTC', available: this.base, frozen: '0', equity: this.base },
        ];
      },
      transferRecords: async () => [],
      batchOrders: async ({ orderList }: { orderList: readonly { clientOrderId: string }[] }, leaves: () => void) => {
        leaves();
        for (const { clientOrderId } of orderList) this.acted.push(['batchOrders', clientOrderId, this.#since]);
        if (this.placeFails !== undefined) throw failed('batchOrders', this.placeFails, this.placeMessage);
        return { resultList: orderList.map(({ clientOrderId }) => ({ orderId: this.madeUpId ?? `v-${clientOrderId}`, clientOrderId })) };
      },
      cancelOrder: async ({ orderId = '', clientOid = orderId.slice(2) }: { orderId?: string; clientOid?: string }, leaves: () => void) => {
        leaves();
        this.acted.push(['cancelOrder', clientOid, this.#since]);
        if (this.cancelFails !== undefined) throw failed('cancelOrder', this.cancelFails);
        return { order_id: `v-${clientOid}`, result: this.cancelSays && !(this.idsAreRounded && orderId !== ''), err_msg: '' };
      },
      orderInfo: async (id: { clientOrderId?: string; orderId?: string }) => {
        this.looks.push(this.#since);
        if (this.lookFails !== undefined || this.lookFailures-- > 0) throw failed('orderInfo', this.lookFails ?? 'timedOut');
        const clientOrderId = id.clientOrderId ?? id.orderId!.slice(2);
        const listed = this.orders.get(clientOrderId);
        const isUnknown = id.orderId !== undefined && (this.idIsForgotten || this.idsAreRounded || !id.orderId.startsWith('v-'));
        if (listed === undefined || isUnknown) throw new ExchangeError({ ...NONE, exchangeCode: NOT_FOUND });
        const { status, filled } = listed;
        const empty = { side: '', orderType: '', price: '', quantity: '' };
        return [{ ...empty, orderId: `v-${clientOrderId}`, clientOrderId, symbol: 'BTCUSDT_SPBL', status, fillQuantity: String(filled) }];
      },
      fills: async ({ after, orderId, pageIndex, pageSize }: FillsRequest) => {
        if (after !== undefined && pageIndex === 0) this.askedFrom.push(after - T0);
        const listed = this.fills.filter(({ at, visibleAt = at, byOrderOnly = false, orderId: of }) => {
          if (visibleAt > this.#since) return false;
          return orderId === undefined ? !byOrderOnly && T0 + at >= after! : of === orderId;
        });
        const newestFirst = listed.toSorted((a, b) => b.at - a.at);
        const page = newestFirst.slice(pageIndex * pageSize, (pageIndex + 1) * pageSize);
        const records = page.map(({ fillId, orderId: of, at, steps }) => ({
          fillId,
          orderId: of,
          side: 'buy',
          fillPrice: '100',
          fillQuantity: String(steps),
          fillTotalAmount: String(100 * steps),
          fees: '0',
          cTime: T0 + at,
        }));
        return { fillsOrderResultList: records, nextPage: newestFirst.length > (pageIndex + 1) * pageSize };
      },
    };
  }
}

const NONE = { operation: 'orderInfo', cause: 'business', scope: 'read', message: 'no such order' } as const;

interface FillsRequest {
  readonly after?: number;
  readonly orderId?: string;
  readonly pageIndex: number;
  readonly pageSize: number;
}
