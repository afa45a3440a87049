import { Decimal } from '../model/decimal.ts';
import type { ListedLimits } from '../model/instrument.ts';
import type { PayloadOf } from './operations/operations.ts';

/** The values of an instrument that the exchange lists; decimals as text. */
export interface ListedValues {
  /** False while trading is suspended. Contracts have no such flag. */
  readonly isTraded: boolean;
  readonly tickSize: string;
  readonly stepSize: string;
  /** Empty: none. */
  readonly minQuantity: string;
  readonly limits: ListedLimits;
}

/** The values of pairs in operation 2. */
export function pairValues(record: PayloadOf<'exchangeInfo'>[number]): ListedValues {
  const { tickSize, stepSize, minTradeAmount, maxTradeAmount, enableTrade } = record;
  // The limits of market orders are in quote for buys, and in base for sells: such orders are left to the exchange.
  const limits = { most: listedLimit(maxTradeAmount), ...collarsOf(record) };
  return { tickSize, stepSize, minQuantity: minTradeAmount, isTraded: enableTrade, limits };
}

/** The values of a contract, which lists numbers of decimals. */
export function contractValues(record: PayloadOf<'contracts'>[number]): ListedValues {
  const unit = (decimals: string) => new Decimal(10).pow(-Number(decimals));
  const tickSize = unit(record.tick_size).times(record.priceEndStep);
  return {
    tickSize: tickSize.toFixed(),
    stepSize: unit(record.size_increment).toFixed(),
    minQuantity: record.minOrderSize,
    isTraded: true,
    limits: {
      most: listedLimit(record.maxOrderSize),
      mostAtMarket: listedLimit(record.marketOpenLimitSize),
      mostHeld: listedLimit(record.maxPositionSize),
      ...collarsOf(record),
    },
  };
}

/** A limit that the exchange lists; `undefined` if it has none. */
export function listedLimit(text: string | undefined): string | undefined {
  return text === undefined || Number(text) === 0 ? undefined : new Decimal(text).toFixed();
}

function collarsOf({ buyLimitPriceRatio, sellLimitPriceRatio }: Record<`${'buy' | 'sell'}LimitPriceRatio`, string>): ListedLimits {
  return { buyCollar: listedLimit(buyLimitPriceRatio), sellCollar: listedLimit(sellLimitPriceRatio) };
}
