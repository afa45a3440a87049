import { directionOfRecord } from '../../../../exchange/mapping/futures-direction.ts';
import { Decimal } from '../../../../model/decimal.ts';
import type { Instrument } from '../../../../model/instrument.ts';
import type { LiquidationType } from '../../../../model/order.ts';
import type { ListedOrder } from './sights.ts';

interface Forced {
  readonly orderId: string;
  readonly type: LiquidationType;
}

interface Listed extends Forced {
  readonly symbol: string;
  readonly positionSide: 'long' | 'short';
  readonly steps: number;
}

/** How many listed ones stay known as told. */
const KEPT = 500;

/** The orders by which the exchange closes positions, as far as its lists show them. */
export class ForcedOrders {
  readonly #listed = new Map<string, Listed>();
  readonly #told = new Set<string>();
  readonly #happened = new Map<string, number>();
  #count = 0;

  /** Takes in a listed order that is none of ours. @returns whether it is the exchange's own. */
  note({ order_id: orderId, type, symbol, filled_qty: filled }: ListedOrder, { step }: Instrument): boolean {
    const direction = directionOfRecord(type);
    if (direction?.forced === undefined) return false;
    const steps = step.floorUnits(new Decimal(filled));
    const word = direction.forced === 'offsetLiquidation' ? 'offsetLiquidation' : 'burstLiquidation';
    if (!this.#told.has(orderId)) this.#listed.set(orderId, { orderId, type: word, symbol, positionSide: direction.positionSide, steps });
    return true;
  }

  /** All that are listed now are old. */
  baseline(): void {
    for (const orderId of this.#listed.keys()) this.#tell(orderId);
  }

  /** The listed order that closed this much; a name of our own where none is listed. @param remains some of the position is open still. */
  match(symbol: string, positionSide: 'long' | 'short', steps: number, remains: boolean): Forced {
    const listed = this.#find(symbol, positionSide, steps);
    if (listed !== undefined) {
      this.#tell(listed.orderId);
      return listed;
    }
    return { orderId: `forced-${symbol}-${positionSide}-${++this.#count}`, type: remains ? 'offsetLiquidation' : 'burstLiquidation' };
  }

  /** One that closed this much is listed, and not told. */
  lists(symbol: string, positionSide: 'long' | 'short', steps: number): boolean {
    return this.#find(symbol, positionSide, steps) !== undefined;
  }

  /** Steps that the exchange's lists show as closed by it, and that are not told. */
  waiting(symbol: string, positionSide: 'long' | 'short'): number {
    return [...this.#listed.values()].reduce(
      (sum, one) => (one.symbol === symbol && one.positionSide === positionSide ? sum + one.steps : sum),
      0,
    );
  }

  happened(coin: string, time: number): void {
    this.#happened.set(coin, time);
  }

  /** Epoch ms of the last liquidation of this coin. */
  last(coin: string): number {
    return this.#happened.get(coin) ?? Number.NEGATIVE_INFINITY;
  }

  toJson(): unknown {
    return { count: this.#count, told: [...this.#told].slice(-KEPT) };
  }

  resume(plain: unknown): void {
    const { count = 0, told = [] } = (plain ?? {}) as { count?: number; told?: string[] };
    this.#count = count;
    for (const orderId of told) this.#told.add(orderId);
  }

  #find(symbol: string, positionSide: 'long' | 'short', steps: number): Listed | undefined {
    return [...this.#listed.values()].find(
      (listed) => listed.symbol === symbol && listed.positionSide === positionSide && listed.steps === steps,
    );
  }

  #tell(orderId: string): void {
    this.#listed.delete(orderId);
    this.#told.add(orderId);
  }
}
