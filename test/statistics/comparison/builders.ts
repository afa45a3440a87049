import { Decimal } from '../../../src/model/decimal.ts';
import type { AccountMove, ComparedFill, ComparedOrder, ComparedRun } from '../../../src/statistics/comparison/compared-run.ts';

export const decimal = (text: string | number) => new Decimal(text);

/** A fill of so much at a price, without a fee. */
export function fill(quantity: string | number, price: string | number, change: Partial<ComparedFill> = {}): ComparedFill {
  return { time: 0, quantity: decimal(quantity), notional: decimal(quantity).times(price), fee: decimal(0), feeAsset: 'USDT', ...change };
}

/** A market buy of what it filled, of the one strategy there is. */
export function order(time: number, fills: readonly ComparedFill[], change: Partial<ComparedOrder> = {}): ComparedOrder {
  const quantity = fills.reduce((sum, one) => sum.plus(one.quantity), decimal(0));
  return {
    ...{ clientOrderId: '', strategyId: 's', symbol: 'BTC-USDT', side: 'buy', positionSide: 'net', type: 'market', tag: '', price: '' },
    ...{ time, quantity, status: 'filled', reason: '', foreign: false },
    fills: fills.map((one) => ({ ...one, time: one.time === 0 ? time : one.time })),
    ...change,
  };
}

export interface RunOptions {
  readonly orders?: readonly ComparedOrder[];
  readonly moves?: readonly AccountMove[];
  readonly price?: string;
  /** Beside what fills and moves come to. */
  readonly lost?: string;
  readonly coverage?: ComparedRun['coverage'];
  readonly absences?: ComparedRun['absences'];
  readonly equity?: readonly (readonly [time: number, equity: number])[];
}

/** A spot run of BTC-USDT that began with 1000 USDT; its final equity is its balances at their last prices. */
export function comparedRun({
  orders = [],
  moves = [],
  price = '100',
  lost = '0',
  coverage = new Map(),
  absences,
  equity = [],
}: RunOptions): ComparedRun {
  const deposit: AccountMove = { time: 0, asset: 'USDT', amount: decimal(1000), reason: 'deposit' };
  const balances = new Map<string, Decimal>();
  const pay = (asset: string, amount: Decimal) => balances.set(asset, (balances.get(asset) ?? decimal(0)).plus(amount));
  for (const { asset, amount } of [deposit, ...moves]) pay(asset, amount);
  for (const { side, fills } of orders) {
    for (const { quantity, notional, fee, feeAsset } of fills) {
      pay('BTC', side === 'buy' ? quantity : quantity.negated());
      pay('USDT', side === 'buy' ? notional.negated() : notional);
      pay(feeAsset, fee.negated());
    }
  }
  const worth = (balances.get('BTC') ?? decimal(0)).times(price);
  return {
    name: 'run',
    currency: 'USDT',
    finalEquity: balances.get('USDT')!.plus(worth).minus(lost),
    quotes: new Map([['BTC-USDT', 'USDT']]),
    end: {
      units: new Map([['BTC-USDT', decimal(price)]]),
      rates: new Map([
        ['BTC', decimal(price)],
        ['USDT', decimal(1)],
      ]),
    },
    orders: [...orders].sort((a, b) => a.time - b.time),
    moves: [deposit, ...moves],
    coverage,
    absences,
    equity: equity.map(([time, value]) => ({ time, equity: decimal(value) })),
  };
}
