import { type Decimal, ZERO } from '../model/decimal.ts';
import type { Fill } from '../model/fill.ts';
import { MONEY_PLACES } from '../model/margin.ts';
import { closes, type LiquidationType, type OrderRequest } from '../model/order.ts';
import { OrderFunds } from './accounts/ledger.ts';
import type { SimulatedAccount } from './accounts/simulated-account.ts';
import type { OrderRecord, OrderRecordStatus } from './futures/records.ts';

/** An order inside the simulator. */
export class WorkingOrder extends OrderFunds {
  status: OrderRecordStatus = 'pending';
  /** Arrival number: time priority inside a price level. For a trigger order, the number at its triggering. */
  rank: number;
  /** Epoch ms: the order cannot fill before it. For a trigger order, the time of its triggering. */
  arrivedTime: number;
  /** Steps ahead of it at its price, where the limit rule is a queue. */
  aheadSteps = 0;
  /** Steps traded at its price since the quantity there last changed. */
  tradedSteps = 0;
  /** Ticks by which the market must go beyond its limit, if a model of the user decides it for each order. */
  beyondTicks: number | undefined;
  readonly #createdTime: number;
  #updatedTime: number;
  #fee: Decimal = ZERO;

  constructor(
    readonly account: SimulatedAccount,
    request: OrderRequest,
    orderId: string,
    rank: number,
    time: number,
    private readonly liquidation: LiquidationType | undefined = undefined,
  ) {
    super(request, orderId);
    this.rank = rank;
    this.arrivedTime = time;
    this.#createdTime = time;
    this.#updatedTime = time;
  }

  get immediate(): boolean {
    return this.request.type === 'market' || this.request.timeInForce !== 'GTC';
  }

  get ended(): boolean {
    return this.status === 'filled' || this.status === 'canceled';
  }

  /** Whether it can only close. */
  get closing(): boolean {
    return this.request.reduceOnly || closes(this.request);
  }

  /** Steps of `wanted` that may fill at this price: limited by the account's funds, and for a close by the strategy's position. */
  affordable(ticks: number, wanted: number): number {
    const { owners } = this.account;
    const steps = this.account.affordable(this, ticks, wanted);
    return owners === undefined || !this.closing ? steps : Math.min(steps, owners.closable(this.request));
  }

  moveTo(status: OrderRecordStatus, time: number): void {
    this.status = status;
    this.#updatedTime = time;
  }

  take({ steps, notional, fee, time }: Fill): void {
    const first = this.filledSteps === 0;
    this.filledSteps += steps;
    // Most orders fill at once, and a first fill needs no sum.
    this.filledNotional = first ? notional : this.filledNotional.plus(notional);
    this.#fee = first ? fee : this.#fee.plus(fee);
    this.#updatedTime = time;
  }

  record(): OrderRecord {
    const { request, filledNotional } = this;
    const { instrument, priceTicks, triggerTicks } = request;
    const quantity = instrument.step.toDecimal(request.steps ?? 0);
    const filledQuantity = instrument.step.toDecimal(this.filledSteps);
    return {
      orderId: this.orderId,
      clientOrderId: request.clientOrderId,
      instrument,
      side: request.side,
      positionSide: request.positionSide,
      type: request.type,
      liquidation: this.liquidation,
      timeInForce: request.timeInForce,
      postOnly: request.postOnly,
      status: this.status,
      price: priceTicks === undefined ? undefined : instrument.tick.toDecimal(priceTicks),
      triggerPrice: triggerTicks === undefined ? undefined : instrument.tick.toDecimal(triggerTicks),
      quantity,
      filledQuantity,
      contracts: instrument.contract === undefined ? undefined : quantity.div(instrument.contract.value),
      filledNotional,
      averagePrice: this.filledSteps === 0 ? ZERO : filledNotional.div(filledQuantity).toDecimalPlaces(MONEY_PLACES),
      fee: this.#fee,
      profit: this.profit,
      createdTime: this.#createdTime,
      updatedTime: this.#updatedTime,
    };
  }
}

/** The open orders of every account, by client order id, each in order of arrival. */
export class WorkingOrders {
  readonly #byAccount = new Map<SimulatedAccount, Map<string, WorkingOrder>>();

  addAccount(account: SimulatedAccount): void {
    this.#byAccount.set(account, new Map());
  }

  get accounts(): IterableIterator<SimulatedAccount> {
    return this.#byAccount.keys();
  }

  of(account: SimulatedAccount): WorkingOrder[] {
    return [...(this.#byAccount.get(account)?.values() ?? [])];
  }

  find(account: SimulatedAccount, clientOrderId: string): WorkingOrder | undefined {
    return this.#byAccount.get(account)?.get(clientOrderId);
  }

  add(order: WorkingOrder): void {
    this.#byAccount.get(order.account)?.set(order.request.clientOrderId, order);
  }

  remove({ account, request }: WorkingOrder): void {
    this.#byAccount.get(account)?.delete(request.clientOrderId);
  }
}
