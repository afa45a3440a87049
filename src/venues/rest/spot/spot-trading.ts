import type { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import { ExchangeError } from '../../../exchange/errors.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { ApprovedOrder, CancelRequest } from '../../../model/order.ts';
import { isTerminal } from '../../../model/order-state.ts';
import { Doubts, Halts } from '../halts.ts';
import { Adoption, OrderLife } from '../order-life.ts';
import type { SendLane } from '../send-lane.ts';
import { differencesOf, newDoubt, TrackedOrder, TrackedOrders } from '../tracked-orders.ts';
import {
  type Difference,
  type LostOrders,
  NOTHING_LOST,
  type Outlets,
  type RestSettings,
  type Resumed,
  type SendingSettings,
  type Trading,
} from '../trading.ts';
import { BalanceCheck, Strangers } from './balance-check.ts';
import { LostSpot } from './lost-spot.ts';
import { SpotFills } from './spot-fills.ts';
import { SpotLooks, SpotSending } from './spot-orders.ts';
import { SpotWallet } from './spot-wallet.ts';

export interface SpotParts {
  readonly client: ExchangeClient;
  readonly instruments: readonly Instrument[];
  readonly lane: SendLane;
  readonly settings: RestSettings;
  readonly outlets: Outlets;
  /** Whether a client id is one of this bot's. */
  readonly isOwn: (clientOrderId: string) => boolean;
  /** Which strategy adopts orders of others on an instrument; `undefined` where none does. */
  readonly adopterOf: (instrument: Instrument) => string | undefined;
  /** Nothing is looked for where it is left out. */
  readonly lost?: LostOrders | undefined;
  /** See `SendingSettings`. */
  readonly urgencyOf?: SendingSettings['urgencyOf'];
}

/** Between two comparisons of balances at the start, in ms. */
const COMPARE_MS = 500;

/**
 * The spot half of the exchange. Fill records move money, look-ups move orders, and balances are checked against both:
 * what one of the three shows first is a hint to ask the others.
 */
export class SpotTrading implements Trading {
  readonly #parts: SpotParts;
  readonly #orders = new TrackedOrders();
  readonly #life: OrderLife;
  readonly #sending: SpotSending;
  readonly #looks: SpotLooks;
  readonly #wallet: SpotWallet;
  readonly #check: BalanceCheck;
  readonly #strangers: Strangers;
  readonly #halts: Halts;
  readonly #doubts: Doubts;
  readonly #fills: SpotFills;
  readonly #lost: LostSpot;
  /** Epoch ms of the newest thing that orders did: balances are compared in calm alone. */
  #movedAt = Number.NEGATIVE_INFINITY;
  #resumed: Resumed | undefined;
  /** The start is over. */
  #isOpen = false;
  /** Balances have been compared at the start, with this result. */
  #isCompared = false;
  readonly #found: Difference[] = [];
  /** There is a baseline that balances go on from. */
  #based = false;
  /** Epoch ms of the last look at fills and balances. */
  #detectedAt = Number.NEGATIVE_INFINITY;
  /** Epoch ms of the last look at all of them, orders or not: somebody else may trade. */
  #readAllAt = Number.NEGATIVE_INFINITY;

  constructor(parts: SpotParts) {
    this.#parts = parts;
    const { client, lane, settings, outlets, lost = NOTHING_LOST } = parts;
    const now = () => outlets.clock.now();
    this.#wallet = new SpotWallet((event) => outlets.tell(event), now);
    this.#life = new OrderLife(this.#orders, settings, outlets);
    this.#sending = new SpotSending(client, lane, this.#life, outlets, { ...settings, urgencyOf: parts.urgencyOf });
    this.#looks = new SpotLooks(client, this.#life, settings, {
      fillsOf: (order) => this.#fills.ofOrder(order),
      tellFills: (order, records, complete) => this.#fills.tell(order, records, complete),
      cancelAgain: (order) => this.#sending.cancel(order),
      notOurs: ({ clientOrderId }, why) => {
        outlets.log.warn(`the exchange has another order under the client id ${clientOrderId}: ${why}`, { clientOrderId });
        lost.found(clientOrderId);
      },
      now,
    });
    this.#check = new BalanceCheck({ client, settings, outlets, wallet: this.#wallet, instruments: parts.instruments });
    this.#strangers = new Strangers(outlets);
    const adoption = new Adoption({ ...parts, orders: this.#orders, life: this.#life });
    this.#lost = new LostSpot({ client, adoption, lost });
    this.#fills = new SpotFills({
      ...parts,
      orders: this.#orders,
      life: this.#life,
      wallet: this.#wallet,
      strangers: this.#strangers,
      adoption,
      lost: this.#lost,
      find: (orderId) => this.#looks.find({ orderId }),
      moved: () => this.#moved(),
    });
    this.#halts = new Halts(outlets, 'spot');
    this.#doubts = new Doubts(settings, outlets, 'spot');
  }

  get nextDue(): number {
    return this.#orders.alive.reduce((due, { lookAt }) => Math.min(due, lookAt), Number.POSITIVE_INFINITY);
  }

  get idle(): boolean {
    return this.#parts.lane.idle && this.#orders.alive.every((order) => order.phase === 'open' && !order.immediate && !order.wish);
  }

  place(orders: readonly ApprovedOrder[]): void {
    const tracked = orders.map((request) => new TrackedOrder(request));
    const sentAt = this.#parts.client.serverTime();
    for (const order of tracked) {
      order.sentAt = sentAt;
      this.#orders.add(order);
    }
    this.#moved();
    this.#sending.place(tracked);
  }

  cancel({ clientOrderId, reason }: CancelRequest): void {
    const order = this.#orders.find(clientOrderId);
    const { outlets } = this.#parts;
    if (order?.alive !== true) {
      outlets.tell({ kind: 'cancelRejected', time: outlets.clock.now(), clientOrderId });
      outlets.settled();
      return;
    }
    this.#moved();
    if (this.#parts.lane.takeBack(order) !== undefined) {
      this.#life.takenBack(order, reason);
      outlets.settled();
      return;
    }
    this.#life.wished(order, reason);
    this.#sending.cancel(order);
  }

  resume(resumed: Resumed): void {
    const { client, settings, outlets } = this.#parts;
    const now = outlets.clock.now();
    for (const each of resumed.orders) {
      const order = this.#orders.resume(each, isTerminal(each.status));
      for (const fillId of resumed.fillIds.get(order.clientOrderId) ?? []) order.fillIds.add(fillId);
      if (!order.alive) continue;
      this.#life.resumeGap(order);
      // No request of a process that is gone can still leave.
      if (order.phase === 'unknown') {
        order.doubt = newDoubt(settings, each.status === 'unknown' ? (each.unknownSince ?? now) : now, false);
        if (each.status !== 'unknown') outlets.tell({ kind: 'orderUnknown', time: now, clientOrderId: order.clientOrderId });
      }
      if (each.cancelRequested) order.wish = { reason: 'requested', stage: 'doubtful', since: now };
      this.#life.lookIn(order, 0);
    }
    this.#fills.begin(
      resumed.again ? resumed.lastTime : client.serverTime(),
      [...resumed.fillIds.values()].flatMap((ids) => [...ids]),
    );
    this.#wallet.resume(resumed);
    this.#halts.resume(this.#parts.instruments, resumed.halts);
    this.#moved();
    this.#wallet.freeze(this.#orders.alive);
    this.#resumed = resumed;
    this.#based = resumed.again;
  }

  async open(): Promise<readonly Difference[]> {
    if (!this.#based) {
      await this.#fills.passOver();
      this.#check.baseline(await this.#parts.client.accountAssets());
      this.#based = true;
    }
    const { again = false, orders = [], nextIds = () => [] } = this.#resumed ?? {};
    if (again) await this.#lost.probe(nextIds, this.#parts.instruments);
    await this.round(true);
    if (again) await this.#compared();
    this.#isOpen = true;
    this.#lost.isOpen = true;
    if (!again) return [];
    return [...differencesOf(orders, this.#orders), ...this.#found, ...this.#beyondAccount()];
  }

  /**
   * Balances against what the journal and the records since make of them, as they are at the start. A difference has to stay for as long as a
   * fill may be invisible before it counts: so long the start waits. Where an order is in doubt, or the exchange does not answer, they are
   * compared once that is over.
   */
  async #compared(): Promise<void> {
    const { clock } = this.#parts.outlets;
    const until = clock.now() + 3 * this.#parts.settings.visibilityLagMs + COMPARE_MS;
    while (this.idle && (this.#check.waits || !this.#isCompared) && clock.now() < until) {
      await new Promise<void>((resolve) => void clock.schedule(clock.now() + COMPARE_MS, resolve));
      await this.round(true).catch((error: unknown) => {
        if (!(error instanceof ExchangeError)) throw error;
      });
    }
  }

  /** Coins that strategies should hold and that the account does not have: nothing says whose were sold. */
  #beyondAccount(): Difference[] {
    return this.#parts.instruments.flatMap((instrument): Difference[] => {
      const { symbol, base } = instrument;
      const held = this.#fills.held(instrument, this.#resumed?.positions?.get(symbol) ?? 0);
      const there = this.#wallet.total(base);
      if (held.lessThanOrEqualTo(there)) return [];
      const journal = held.toFixed();
      this.#halts.stick(instrument, `strategies hold ${journal} ${base} by the journal, the account has ${there.toFixed()}`);
      return [{ what: 'position', subject: symbol, journal, exchange: there.toFixed(), cause: 'less than strategies hold' }];
    });
  }

  async round(full: boolean): Promise<void> {
    const { outlets, settings } = this.#parts;
    try {
      const now = outlets.clock.now();
      if (full || now >= this.#detectedAt + settings.detectMs) {
        const isAll = full || now >= this.#readAllAt + settings.idleMs;
        await this.#detect(isAll);
        this.#detectedAt = now;
        if (isAll) this.#readAllAt = now;
      }
      await this.#lookUp();
      this.#judge();
    } finally {
      this.#wallet.freeze(this.#orders.alive);
      outlets.settled();
    }
  }

  doubt(reason: string): void {
    for (const instrument of this.#parts.instruments) this.#halts.stick(instrument, reason);
  }

  lift(): void {
    this.#check.lift();
    this.#strangers.lift();
    this.#doubts.lift();
    this.#halts.lift();
  }

  /** What is due. One look-up that fails keeps no other from being made; two in a row, and the exchange is not asked further. */
  async #lookUp(): Promise<void> {
    const { lane, settings, outlets } = this.#parts;
    const { clock } = outlets;
    let failure: { readonly error: unknown } | undefined;
    for (const order of this.#orders.alive) {
      if (!order.alive || order.lookAt > clock.now()) continue;
      try {
        await this.#look(order);
      } catch (error) {
        if (failure !== undefined) throw error;
        failure = { error };
      }
      // Where requests wait for weight, fills and balances do not wait for all look-ups.
      if (lane.queue.scarce && clock.now() >= this.#detectedAt + settings.detectMs) break;
    }
    if (failure !== undefined) throw failure.error;
  }

  /** Fills, then balances: each shows what an order has done before the order is asked. */
  async #detect(full: boolean): Promise<void> {
    const fillsReadAt = this.#parts.outlets.clock.now();
    await this.#fills.read(this.#parts.instruments.filter((instrument) => full || this.#isHot(instrument)));
    if (full || this.#orders.size > 0 || this.#check.open) await this.#readBalances(fillsReadAt);
  }

  /** Orders work there, or may. */
  #isHot(instrument: Instrument): boolean {
    if (this.#fills.adopts(instrument)) return true;
    return this.#orders.alive.some(({ request, phase }) => request.instrument === instrument && phase !== 'sending');
  }

  async #look(order: TrackedOrder): Promise<void> {
    if (order.phase === 'sending') return;
    order.lookAt = Number.POSITIVE_INFINITY;
    try {
      await this.#looks.look(order);
    } catch (error) {
      this.#life.lookLater(order);
      throw error;
    }
  }

  async #readBalances(fillsReadAt: number): Promise<void> {
    const assets = await this.#parts.client.accountAssets();
    // A reservation of theirs that is not ours, or the reverse: something happened to an order.
    for (const asset of this.#check.gaps(assets)) {
      for (const order of this.#orders.alive) {
        const { base, quote } = order.request.instrument;
        if (order.phase === 'open' && (base === asset || quote === asset)) this.#life.lookIn(order, 0);
      }
    }
    if (this.idle) this.#check.judgeReservations();
    // At the start nothing has been sent that could still move.
    const isStarting = !this.#isOpen && this.#resumed?.again === true;
    const calm = this.idle && (isStarting || this.#parts.outlets.clock.now() - this.#movedAt >= this.#parts.settings.calmMs);
    const found = await this.#check.compare(assets, calm, fillsReadAt);
    if (!isStarting || !calm) return;
    this.#isCompared = true;
    this.#found.push(...found);
  }

  #judge(): void {
    const { settings, instruments } = this.#parts;
    this.#halts.review(instruments, (instrument) => {
      if (settings.foreign === 'block') {
        const asset = this.#check.reserved;
        if (asset === instrument.base || asset === instrument.quote) return `orders that are not ours have reserved ${asset}`;
        if (this.#strangers.trade(instrument)) return 'orders that are not ours trade it';
      }
      return this.#check.halted ?? this.#doubts.tooLong(this.#orders.alive, instrument);
    });
  }

  #moved(): void {
    this.#movedAt = this.#parts.outlets.clock.now();
  }
}
