import { Decimal } from '../../model/decimal.ts';
import type { PayloadOf } from '../operations/operations.ts';

export type SpotFillRecord = PayloadOf<'fills'>['fillsOrderResultList'][number];

/** What a fill record says, in exact numbers. */
export interface SpotFillFigures {
  readonly side: 'buy' | 'sell';
  readonly price: Decimal;
  readonly quantity: Decimal;
  /** In quote. */
  readonly notional: Decimal;
  readonly fee: Decimal;
  /** What was received pays the fee: base on a buy, quote on a sell. */
  readonly feeAsset: string;
}

/** `undefined` for a record that cannot be a fill: no side that is known, or no quantity. An empty price is total / quantity. */
export function spotFillFigures(record: SpotFillRecord): SpotFillFigures | undefined {
  const side = record.side.toLowerCase();
  const quantity = new Decimal(record.fillQuantity);
  if ((side !== 'buy' && side !== 'sell') || !quantity.isPositive() || quantity.isZero()) return undefined;
  const notional = new Decimal(record.fillTotalAmount);
  const price = record.fillPrice === '' ? notional.div(quantity) : new Decimal(record.fillPrice);
  return {
    side,
    price,
    quantity,
    notional,
    fee: new Decimal(record.fees),
    feeAsset: side === 'buy' ? record.baseCoin : record.quoteCoin,
  };
}
