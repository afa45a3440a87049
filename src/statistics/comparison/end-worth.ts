import { type Decimal, ZERO } from '../../model/decimal.ts';
import type { AccountMove, ComparedOrder, ComparedRun, EndPrices, Slice } from './compared-run.ts';

/**
 * What fills and moves have made of an account by the end, in its currency, at one set of end prices: as equity counts
 * everything at the last prices, it is the sum of these, whatever the order of things was.
 */
export class EndWorth {
  constructor(
    private readonly quotes: ReadonlyMap<string, string>,
    private readonly end: EndPrices,
  ) {}

  /** Of one unit of an asset; nothing where it never had a price. */
  rate(asset: string): Decimal {
    return this.end.rates.get(asset) ?? ZERO;
  }

  /** What was bought at its end price, less what was paid; a sale the other way round; fees apart. */
  trade({ symbol, side }: ComparedOrder, { quantity, notional }: Slice): Decimal {
    const gained = this.quantity(symbol, quantity).minus(this.paid(symbol, notional));
    return side === 'sell' ? gained.negated() : gained;
  }

  quantity(symbol: string, quantity: Decimal): Decimal {
    return quantity.times(this.end.units.get(symbol) ?? ZERO);
  }

  /** An amount of the symbol's quote. */
  paid(symbol: string, notional: Decimal): Decimal {
    return notional.times(this.rate(this.quotes.get(symbol) ?? ''));
  }

  fee({ fee, feeAsset }: Slice): Decimal {
    return fee.times(this.rate(feeAsset));
  }

  move({ asset, amount }: AccountMove): Decimal {
    return amount.times(this.rate(asset));
  }

  /** All fills and moves of a run. */
  run({ orders, moves }: Pick<ComparedRun, 'orders' | 'moves'>): Decimal {
    let worth = moves.reduce((sum, move) => sum.plus(this.move(move)), ZERO);
    for (const order of orders) for (const fill of order.fills) worth = worth.plus(this.trade(order, fill)).minus(this.fee(fill));
    return worth;
  }
}

/** The end prices of one run, completed by those of another where it has none. */
export function completed(end: EndPrices, other: EndPrices): EndPrices {
  return { units: new Map([...other.units, ...end.units]), rates: new Map([...other.rates, ...end.rates]) };
}
