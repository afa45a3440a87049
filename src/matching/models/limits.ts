import { Random } from '../../model/random.ts';
import type { LimitModel, RestingOrder } from '../../ports/models.ts';
import { type FillSettings, isQueueRule, penetrationTicks } from '../settings.ts';
import type { WorkingOrder } from '../working-order.ts';
import { answerOf, isOwnModel, madeModel, type OwnModel } from './own-model.ts';

/** The ticks by which the market must go beyond the limit of each order. */
export class Limits {
  /** Those of every order. With a model of the user each order has its own, `WorkingOrder.beyondTicks`, and this is 0. */
  readonly penetration: number;
  /** Orders whose price is this far inside the market take at once. */
  readonly #margin: number;
  readonly #own: CheckedLimits | undefined;

  constructor(limit: FillSettings['limit']) {
    this.#own = isOwnModel<LimitModel>(limit) ? new CheckedLimits(limit) : undefined;
    this.penetration = this.#own === undefined ? penetrationTicks(limit) : 0;
    this.#margin = isQueueRule(limit) ? 1 : Math.min(1, this.penetration);
  }

  /** A limit order meets the market. */
  meet(order: WorkingOrder): void {
    if (this.#own === undefined || order.request.priceTicks === undefined) return;
    order.beyondTicks ??= this.#own.penetrationTicks(new ArrivedOrder(order, order.request.priceTicks, this.#own.seed));
  }

  /** How far inside the market the limit of this order must be, in ticks, so that it takes at a single price: 0 or 1. */
  marginOf({ beyondTicks }: WorkingOrder): number {
    return beyondTicks === undefined ? this.#margin : Math.min(1, beyondTicks);
  }
}

/** A limit order as the model receives it. */
class ArrivedOrder implements RestingOrder {
  readonly symbol: string;
  readonly side: RestingOrder['side'];
  readonly steps: number;
  readonly tickSize: number;
  readonly stepSize: number;
  readonly time: number;
  readonly #stream: string;

  constructor(
    order: WorkingOrder,
    readonly limitTicks: number,
    private readonly seed: number,
  ) {
    const { instrument, side } = order.request;
    this.symbol = instrument.symbol;
    this.side = side;
    this.steps = order.remainingSteps;
    this.tickSize = instrument.tick.toNumber(1);
    this.stepSize = instrument.step.toNumber(1);
    this.time = order.arrivedTime;
    this.#stream = `fills/limit/${order.orderId}`;
  }

  get chance(): number {
    return new Random(this.seed, this.#stream).uniform();
  }
}

/** A model of the user whose answers are checked. */
class CheckedLimits implements LimitModel {
  readonly #model: LimitModel;

  constructor(private readonly own: OwnModel<LimitModel>) {
    this.#model = madeModel(own);
  }

  get seed(): number {
    return this.own.seed;
  }

  penetrationTicks(order: RestingOrder): number {
    return answerOf(
      this.own,
      `penetrationTicks(${order.side} ${order.steps} steps of ${order.symbol} at ${order.limitTicks} ticks)`,
      () => this.#model.penetrationTicks(order),
      isPenetration,
      'a whole number of ticks of at least 0',
    );
  }
}

/** Whether a model may answer this. */
export function isPenetration(ticks: unknown): boolean {
  return typeof ticks === 'number' && Number.isSafeInteger(ticks) && ticks >= 0;
}
