/**
 * A slow and obvious model of a futures account in one currency, to check the simulator against. It is told what
 * happened and works everything out from scratch, in BigInt units of 10^-30, which hold all sums exactly; it
 * shares no arithmetic with the program. Prices, marks and steps are whole numbers, one step is one coin.
 */
export const UNIT = 10n ** 30n;
/** Shares of money are rounded to 18 places. */
const PLACE = 10n ** 12n;
const RATE = 1_000_000n;

export interface OracleSettings {
  readonly isolated: boolean;
  readonly separated: boolean;
  readonly leverage: { readonly long: bigint; readonly short: bigint };
  /** Millionths. */
  readonly makerFee: bigint;
  readonly takerFee: bigint;
  readonly maintenance: readonly { readonly upTo: bigint | undefined; readonly rate: bigint }[];
}

export interface OracleOrder {
  readonly id: string;
  /** The venue's, which names a separated position. */
  readonly orderId?: string;
  readonly symbol: string;
  readonly side: 'long' | 'short';
  readonly closes: boolean;
  /** The limit, or for market orders what a taker pays when it is sent. */
  readonly price: bigint;
  left: bigint;
  /** Waits for its trigger: binds nothing. */
  asleep: boolean;
}

interface Lot {
  readonly orderId: string;
  readonly symbol: string;
  readonly side: 'long' | 'short';
  steps: bigint;
  openValue: bigint;
  margin: bigint;
}

export class FuturesOracle {
  wallet: bigint;
  lots: Lot[] = [];
  readonly orders = new Map<string, OracleOrder>();
  readonly marks = new Map<string, bigint>();
  #last: Lot | undefined;

  constructor(
    private readonly settings: OracleSettings,
    deposit: bigint,
  ) {
    this.wallet = deposit * UNIT;
  }

  held(symbol: string, side: 'long' | 'short'): bigint {
    return this.#of(symbol, side).reduce((sum, { steps }) => sum + steps, 0n);
  }

  openValue(symbol: string, side: 'long' | 'short'): bigint {
    return this.#of(symbol, side).reduce((sum, { openValue }) => sum + openValue, 0n);
  }

  /** Bound by what opens and by what is open. */
  frozen(): bigint {
    const orders = [...this.orders.values()].reduce((sum, order) => sum + this.bound(order), 0n);
    return orders + this.lots.reduce((sum, lot) => sum + (lot.margin < 0n ? 0n : this.#marginOf(lot)), 0n);
  }

  /** What an order that opens needs: its value over the leverage, and the taker's fee. */
  bound({ side, closes, price, left, asleep }: OracleOrder): bigint {
    if (closes || asleep) return 0n;
    const value = price * left * UNIT;
    return roundUp(value, this.settings.leverage[side]) + (value * this.settings.takerFee) / RATE;
  }

  /** What a new order could bind. */
  free(): bigint {
    const isolated = this.settings.isolated;
    const collateral = isolated
      ? this.wallet - this.lots.reduce((sum, lot) => sum + lot.margin, 0n)
      : this.wallet + this.#profit(this.lots);
    const positions = isolated ? 0n : this.lots.reduce((sum, lot) => sum + this.#marginOf(lot), 0n);
    const orders = [...this.orders.values()].reduce((sum, order) => sum + this.bound(order), 0n);
    return collateral - positions - orders;
  }

  fill(order: OracleOrder, price: bigint, steps: bigint, maker: boolean): void {
    const { symbol, side, closes, id, orderId = id } = order;
    const value = price * steps * UNIT;
    const fee = (value * (maker ? this.settings.makerFee : this.settings.takerFee)) / RATE;
    order.left -= steps;
    this.wallet -= fee;
    if (closes) this.close(symbol, side, price, steps, fee);
    else this.#open(symbol, side, value, steps, orderId);
  }

  /**
   * Takes the oldest position first; profit goes to the wallet. Isolated margin gives its share free, unless the loss
   * is larger than that: then it bears the loss.
   */
  close(symbol: string, side: 'long' | 'short', price: bigint, steps: bigint, feeOfAll: bigint): void {
    let left = steps;
    let fee = feeOfAll;
    for (const lot of this.#of(symbol, side)) {
      const closed = left < lot.steps ? left : lot.steps;
      const own = share(fee, closed, left);
      const freed = share(lot.margin, closed, lot.steps);
      const gained = this.#take(lot, price, closed) - own;
      if (this.settings.isolated) lot.margin -= freed + gained < 0n ? -gained : freed;
      left -= closed;
      fee -= own;
    }
    if (left > 0n) throw new Error(`closed ${left} ${side} ${symbol} that nobody held`);
    this.lots = this.lots.filter((lot) => lot.steps > 0n);
  }

  /** Closes a part or all of positions that lack margin; what it costs beside is `payLiquidation`. */
  liquidate(lots: readonly Lot[], positionId: string | undefined, price: bigint, steps: bigint): void {
    const lot = lots.find(({ orderId }) => !this.settings.separated || orderId === positionId)!;
    this.#last = lot;
    const profit = this.#take(lot, price, steps);
    if (this.settings.isolated) lot.margin += profit;
    this.lots = this.lots.filter((one) => one.steps > 0n);
  }

  /** The fee comes out of the margin of the position that was liquidated last. */
  payLiquidation(fee: bigint): void {
    this.wallet -= fee;
    if (this.settings.isolated) this.#last!.margin -= fee;
  }

  /** Charges funding, the rate in millionths: the wallet pays, and an isolated margin where the rest of it is empty. */
  charge(symbol: string, side: 'long' | 'short', rate: bigint): bigint {
    let total = 0n;
    for (const lot of this.#of(symbol, side)) {
      const paid = (this.marks.get(symbol)! * lot.steps * rate * UNIT) / RATE;
      const amount = side === 'long' ? -paid : paid;
      this.wallet += amount;
      total += amount;
      const shared = this.wallet - this.lots.reduce((sum, { margin }) => sum + margin, 0n);
      if (this.settings.isolated && shared < 0n && amount < 0n) lot.margin -= amount > shared ? -amount : -shared;
    }
    return total;
  }

  /** The positions that stand or fall together and lack margin now. */
  due(): Lot[] {
    if (!this.settings.isolated) return this.#lacks(this.lots, this.wallet) ? this.lots : [];
    return this.lots.filter((lot) => this.#lacks([lot], lot.margin));
  }

  /** @returns the profit. */
  #take(lot: Lot, price: bigint, steps: bigint): bigint {
    const cost = share(lot.openValue, steps, lot.steps);
    const proceeds = price * steps * UNIT;
    const profit = lot.side === 'long' ? proceeds - cost : cost - proceeds;
    this.wallet += profit;
    lot.openValue -= cost;
    lot.steps -= steps;
    return profit;
  }

  #lacks(lots: readonly Lot[], collateral: bigint): boolean {
    if (lots.length === 0) return false;
    const needed = lots.reduce((sum, lot) => sum + this.#maintenance(this.marks.get(lot.symbol)! * lot.steps), 0n);
    return collateral + this.#profit(lots) <= needed;
  }

  /** Each rate for the part of the value that lies in its tier. */
  #maintenance(value: bigint): bigint {
    let from = 0n;
    let sum = 0n;
    for (const { upTo, rate } of this.settings.maintenance) {
      const end = upTo === undefined || value < upTo ? value : upTo;
      if (end > from) sum += ((end - from) * rate * UNIT) / RATE;
      from = end;
    }
    return sum;
  }

  #profit(lots: readonly Lot[]): bigint {
    return lots.reduce((sum, { symbol, side, steps, openValue }) => {
      const value = this.marks.get(symbol)! * steps * UNIT;
      return sum + (side === 'long' ? value - openValue : openValue - value);
    }, 0n);
  }

  #marginOf(lot: Lot): bigint {
    return this.settings.isolated ? lot.margin : roundUp(lot.openValue, this.settings.leverage[lot.side]);
  }

  #open(symbol: string, side: 'long' | 'short', value: bigint, steps: bigint, orderId: string): void {
    const mine = this.#of(symbol, side).find((lot) => !this.settings.separated || lot.orderId === orderId);
    const lot = mine ?? { orderId, symbol, side, steps: 0n, openValue: 0n, margin: 0n };
    if (mine === undefined) this.lots.push(lot);
    lot.steps += steps;
    lot.openValue += value;
    if (this.settings.isolated) lot.margin += roundUp(value, this.settings.leverage[side]);
  }

  #of(symbol: string, side: 'long' | 'short'): Lot[] {
    return this.lots.filter((lot) => lot.symbol === symbol && lot.side === side);
  }
}

/** `amount x part / whole` to 18 places, half to even; all of it when part is whole. */
function share(amount: bigint, part: bigint, whole: bigint): bigint {
  if (part === whole) return amount;
  const over = whole * PLACE;
  const floor = (amount * part) / over;
  const rest = (amount * part) % over;
  const up = rest * 2n > over || (rest * 2n === over && floor % 2n === 1n);
  return (floor + (up ? 1n : 0n)) * PLACE;
}

/** `amount / divisor`, up to the next 18th place. */
function roundUp(amount: bigint, divisor: bigint): bigint {
  const over = divisor * PLACE;
  return ((amount + over - 1n) / over) * PLACE;
}
