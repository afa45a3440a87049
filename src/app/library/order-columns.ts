import { ItemColumn, MadeRows, MoneyColumn, NumberColumn, type Rows } from '../../model/columns.ts';
import type { Decimal } from '../../model/decimal.ts';
import type { Order } from '../../state/order.ts';
import type { RowTables } from '../backtest/recorders/run-recorder.ts';

/** The facts that many orders share. */
type Terms = Pick<Order, 'strategyId' | 'instrument' | 'side' | 'positionSide' | 'type' | 'status' | 'tag'> &
  Pick<Order['request'], 'timeInForce'> & {
    /** Why it did not fill; empty if it did. */
    readonly reason: string;
  };

/** An order that does not change any more. */
export interface RecordedOrder extends Terms {
  /** When it was submitted, and when it ended: `NaN` if it is still open. */
  readonly time: number;
  readonly endTime: number;
  /** `NaN` where the order has none. */
  readonly priceTicks: number;
  readonly stopTicks: number;
  readonly steps: number;
  readonly filledSteps: number;
  readonly filledNotional: Decimal;
  readonly clientOrderId: string;
  readonly orderId: string;
  readonly ref: string;
  readonly replaces: string;
  readonly group: string;
}

/** The orders of a run in the order of their ends, those that are still open last: some 20 to 60 bytes each. */
export class OrderColumns implements RowTables, Rows<RecordedOrder> {
  readonly #terms = new ItemColumn<Terms>(keyOf);
  readonly #time = new NumberColumn();
  /** How long it lived, in ms. */
  readonly #age = new NumberColumn();
  readonly #priceTicks = new NumberColumn();
  readonly #stopTicks = new NumberColumn();
  readonly #steps = new NumberColumn();
  readonly #filledSteps = new NumberColumn();
  readonly #filledNotional = new MoneyColumn();
  readonly #clientOrderId = new IdColumn();
  readonly #orderId = new IdColumn();
  readonly #ref = new IdColumn();
  readonly #replaces = new IdColumn();
  readonly #group = new IdColumn();

  get length(): number {
    return this.#time.length;
  }

  at(index: number): RecordedOrder | undefined {
    return this.#rows().at(index);
  }

  [Symbol.iterator](): Iterator<RecordedOrder> {
    return this.#rows()[Symbol.iterator]();
  }

  order(order: Order, endTime: number | undefined, reason: string): void {
    const { request, submittedTime } = order;
    this.#terms.push({
      strategyId: request.strategyId,
      instrument: request.instrument,
      side: request.side,
      positionSide: request.positionSide,
      type: order.type,
      timeInForce: request.timeInForce,
      status: order.status,
      tag: request.tag,
      reason,
    });
    this.#time.push(submittedTime);
    this.#age.push(endTime === undefined ? Number.NaN : endTime - submittedTime);
    this.#priceTicks.push(request.priceTicks ?? Number.NaN);
    this.#stopTicks.push(order.stopTicks ?? Number.NaN);
    this.#steps.push(request.steps ?? Number.NaN);
    this.#filledSteps.push(order.filledSteps);
    this.#filledNotional.push(order.filledNotional);
    this.#clientOrderId.push(order.clientOrderId);
    this.#orderId.push(order.orderId);
    this.#ref.push(order.ref);
    this.#replaces.push(order.replaces);
    this.#group.push(order.group);
  }

  /** Does nothing: the recorder of the run has the fills. */
  fill(): void {}

  /** Does nothing: an intent that was denied may be no order, and the denied orders are here. */
  denied(): void {}

  #rows(): MadeRows<RecordedOrder> {
    return new MadeRows(this.length, (index) => {
      const time = this.#time.at(index);
      return {
        ...this.#terms.at(index),
        time,
        endTime: time + this.#age.at(index),
        priceTicks: this.#priceTicks.at(index),
        stopTicks: this.#stopTicks.at(index),
        steps: this.#steps.at(index),
        filledSteps: this.#filledSteps.at(index),
        filledNotional: this.#filledNotional.at(index),
        clientOrderId: this.#clientOrderId.at(index),
        orderId: this.#orderId.at(index),
        ref: this.#ref.at(index),
        replaces: this.#replaces.at(index),
        group: this.#group.at(index),
      };
    });
  }
}

function keyOf({ strategyId, instrument, side, positionSide, type, timeInForce, status, reason, tag }: Terms): string {
  return `${strategyId}/${instrument.index}/${side}/${positionSide}/${type}/${timeInForce}/${status}/${reason}/${tag}`;
}

/** A number at the end of an id that a double has exactly. */
const NUMBERED = /[1-9]\d{0,14}$/;

/** Ids of one text and a running number, which are kept apart: `bot-cross-1`, `bot-cross-2`. Other texts are kept as they are. */
class IdColumn {
  readonly #texts = new ItemColumn<string>((text) => text);
  /** `NaN` for a text without a number. */
  readonly #numbers = new NumberColumn();

  push(id: string): void {
    const digits = NUMBERED.exec(id)?.[0] ?? '';
    this.#texts.push(digits === '' ? id : id.slice(0, -digits.length));
    this.#numbers.push(digits === '' ? Number.NaN : Number(digits));
  }

  at(index: number): string {
    const number = this.#numbers.at(index);
    return Number.isNaN(number) ? this.#texts.at(index) : `${this.#texts.at(index)}${number}`;
  }
}
