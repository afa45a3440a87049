import fc from 'fast-check';
import type { Row } from '../builders.ts';
import type { OracleSettings } from './futures-oracle.ts';

/** What is sent, at a number of seconds; prices relative to the last price of its symbol then. */
export interface FuturesAction {
  readonly at: number;
  readonly symbol: 0 | 1;
  readonly side: 'long' | 'short';
  readonly do: 'open' | 'close' | 'cancel';
  readonly quantity: number;
  /** Ticks from the last price: of a limit, and of a trigger. */
  readonly limit: number | undefined;
  readonly trigger: number | undefined;
  readonly force: 'GTC' | 'IOC' | 'FOK';
}

/** One random life of a futures account on two contracts. */
export interface FuturesCase {
  readonly settings: OracleSettings;
  readonly autoAppend: boolean;
  readonly deposit: number;
  /** By contract: tickers, marks, and funding rates in millionths. */
  readonly tickers: readonly [readonly Row[], readonly Row[]];
  readonly marks: readonly [readonly Row[], readonly Row[]];
  readonly funding: readonly [readonly Row[], readonly Row[]];
  readonly actions: readonly FuturesAction[];
}

export const LENGTH_S = 300;
/** Millionths of the value, taken by a liquidation. */
export const LIQUIDATION_FEE = 5_000;

const leverage = fc.constantFrom(1n, 3n, 10n, 25n);

const settings: fc.Arbitrary<OracleSettings> = fc.record({
  isolated: fc.boolean(),
  separated: fc.boolean(),
  leverage: fc.record({ long: leverage, short: leverage }),
  makerFee: fc.constantFrom(0n, 200n, -100n),
  takerFee: fc.constantFrom(0n, 600n),
  maintenance: fc.constantFrom(
    [{ upTo: undefined, rate: 10_000n }],
    [
      { upTo: 3_000n, rate: 5_000n },
      { upTo: 8_000n, rate: 15_000n },
      { upTo: undefined, rate: 30_000n },
    ],
  ),
});

/** A walk that jumps now and then, far enough to ruin somebody. */
const tickers = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: -4, max: 4 }), fc.constantFrom(1, 1, 1, 1, 1, 8)), {
    minLength: 20,
    maxLength: 50,
  })
  .map((moves) => {
    let price = 1_000;
    let time = 0;
    const rows: Row[] = [[0, price]];
    for (const [wait, move, force] of moves) {
      price = Math.max(50, price + move * 4 * force);
      time += wait;
      rows.push([time, price]);
    }
    return rows;
  });

/** Marks of one contract come in bursts, with time enough between them to grow old. */
const marks = fc.array(fc.tuple(fc.integer({ min: 1, max: 90 }), fc.integer({ min: 900, max: 1_100 })), { maxLength: 6 }).map((moves) => {
  let time = 0;
  return moves.map(([wait, price]): Row => {
    time += wait;
    return [time, price];
  });
});

const funding = fc
  .array(fc.integer({ min: -3_000, max: 3_000 }), { maxLength: 4 })
  .map((rates) => rates.map((rate, index): Row => [(index + 1) * 60, rate]));

const offset = fc.integer({ min: -25, max: 25 });

const action: fc.Arbitrary<FuturesAction> = fc.record({
  // Between the seconds at which prices come: the order meets what stands.
  at: fc.integer({ min: 0, max: LENGTH_S }).map((second) => second + 0.5),
  symbol: fc.constantFrom(0, 1),
  side: fc.constantFrom('long', 'short'),
  do: fc.constantFrom('open', 'open', 'open', 'close', 'cancel'),
  quantity: fc.integer({ min: 1, max: 7 }),
  limit: fc.option(offset, { nil: undefined }),
  trigger: fc.option(offset, { nil: undefined, freq: 2 }),
  force: fc.constantFrom('GTC', 'GTC', 'GTC', 'IOC', 'FOK'),
});

export const futuresCase: fc.Arbitrary<FuturesCase> = fc.record({
  settings,
  autoAppend: fc.constant(false),
  deposit: fc.integer({ min: 300, max: 12_000 }),
  tickers: fc.tuple(tickers, tickers),
  marks: fc.tuple(marks, fc.constant([])),
  funding: fc.tuple(funding, funding),
  actions: fc.array(action, { minLength: 5, maxLength: 30 }),
});
