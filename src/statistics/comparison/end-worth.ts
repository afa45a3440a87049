import { type Decimal, ZERO } from '../../model/decimal.ts';
import type { AccountMove, ComparedOrder, ComparedRun, EndPrices, Slice } from './compared-run.ts';

/**
 * The results of an account's fills and moves by the end, in its currency, at one set of end prices. Equity counts everything at the last
 * prices, so it is their sum, in whatever order they happened.
 */
export class EndWorth {
  constructor(
    private readonly quotes: ReadonlyMap<string, string>,
    private readonly end: EndPrices,
  ) {}

  /** Value of one unit of an asset; zero where it never had a price. */
  rate(asset: string): Decimal {
    return this.end.rates.get(asset) ?? ZERO;
  }

  /** For a buy: the value at its end price, less the amount paid. For a sale the other way round. Without fees. */
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

  /** The sum of all fills and moves of a run. */
  run({ orders, moves }: Pick<ComparedRun, 'orders' | 'moves'>): Decimal {
    let worth = moves.reduce((sum, move) => sum.plus(this.move(move)), ZERO);
    for (const order of orders) for (const fill of order.fills) worth = worth.plus(this.trade(order, fill)).minus(this.fee(fill));
    return worth;
  }
}

/** The end prices of one run; where it has none, those of the other. */
export function completed(end: EndPrices, other: EndPrices): EndPrices {
  return { units: new Map([...other.units, ...end.units]), rates: new Map([...other.rates, ...end.rates]) };
}
