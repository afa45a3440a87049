import { expect, test } from '@jest/globals';
import { ignoreElements, type Observable, tap } from 'rxjs';
import type { AccountEvent } from '../../src/model/account-events.ts';
import type { MarketEvent } from '../../src/model/market-events.ts';
import { place, setTimer } from '../../src/strategy/intents.ts';
import type { Strategy, StrategyContext } from '../../src/strategy/strategy.ts';
import { at, instrument, minuteBars, perpetual, type RunResult, run, type Script, Scripted, series } from '../builders.ts';

/** Seen are closes of 100, 100 and 61; the orders of the first close fill at 100, those of the third at 61. */
const FALL = minuteBars([100, 100, 100, 100], [100, 100, 100, 100], [61, 61, 61, 61], [61, 61, 61, 61]);
const FEES = { makerFee: '0.01', takerFee: '0.01' };

type Kind = 'spot' | 'netting' | 'futures';
type Look = readonly [where: string, equity: number, drawdown: number, quantity: number];

class Looking extends Scripted {
  readonly seen: Look[] = [];

  look(where: string): void {
    const { equity, drawdown } = this.account;
    this.seen.push([where, equity, Number(drawdown.toFixed(9)), this.position(this.symbols[0]!).quantity]);
  }
}

/** The same, of every account event of its stream. */
class LookingStream extends Looking {
  override intents$ = (_: Observable<MarketEvent>, account$: Observable<AccountEvent>) =>
    account$.pipe(
      tap(({ kind }) => this.look(kind)),
      ignoreElements(),
    );
}

const looking = (self: Strategy) => self as Looking;

/** Buys 10 at the first close and sells (of spot 9) at the third. */
function trader(kind: Kind, symbol: string): Script {
  const order = { symbol, type: 'market', ...(kind === 'futures' ? { positionSide: 'long' as const } : {}) } as const;
  let bars = 0;
  return {
    onBar: () => {
      bars++;
      if (bars === 1) return place({ ...order, side: 'buy', quantity: 10 });
      return bars === 3 ? place({ ...order, side: 'sell', quantity: kind === 'spot' ? 9 : 10 }) : undefined;
    },
  };
}

async function looks(kind: Kind, script: Script, Kind: typeof Looking = Looking): Promise<{ seen: readonly Look[]; result: RunResult }> {
  const traded = kind === 'futures' ? perpetual(FEES) : instrument(FEES);
  const made: Looking[] = [];
  const create = (context: StrategyContext) => {
    const one = new Kind(context, { ...trader(kind, traded.symbol), ...script });
    made.push(one);
    return one;
  };
  const result = await run({
    sources: [{ instrument: traded, kind: 'bar', open: () => series('bar', FALL) }],
    kind,
    balances: { USDT: '2000' },
    strategies: [{ id: 's', symbols: [traded.symbol], params: {}, create }],
  });
  return { seen: made[0]!.seen, result };
}

// Bought: 2000 less a fee of 10. The peak is 2000. Sold at 61, netting and futures: 2000 - 10 - 390 - 6.1. Spot pays the first
// fee in coin: 1000 + 9 x 61 - 5.49 and 0.9 coins at 61.
test.each<[Kind, Look, Look]>([
  ['netting', ['fill', 1990, 0.005, 10], ['fill', 1593.9, 0.20305, 0]],
  ['futures', ['fill', 1990, 0.005, 10], ['fill', 1593.9, 0.20305, 0]],
  ['spot', ['fill', 1990, 0.005, 9], ['fill', 1598.41, 0.200795, 0]],
])('equity, drawdown and position of a %s account are of one moment in onFill and onOrder', async (kind, bought, sold) => {
  const { seen } = await looks(kind, {
    onFill: (self) => looking(self).look('fill'),
    onOrder: (self, event) => (event.kind === 'orderFilled' ? looking(self).look('fill') : undefined),
  });
  expect(seen).toEqual([bought, bought, sold, sold]);
});

test('a timer after a fill sees the equity of its own moment', async () => {
  const { seen } = await looks('netting', {
    onStart: () => setTimer({ name: 'look', at: at(61) }),
    onTimer: (self) => looking(self).look('timer'),
  });
  expect(seen).toEqual([['timer', 1990, 0.005, 10]]);
});

test.each<Kind>(['spot', 'netting', 'futures'])('a stream of a %s account never sees the half of a fill in its equity', async (kind) => {
  const { seen } = await looks(kind, {}, LookingStream);
  const equities = seen.map(([, equity]) => equity);
  const last = kind === 'spot' ? 1598.41 : 1593.9;
  const before = kind === 'spot' ? 1603.9 : 1600;
  expect([...new Set(equities)]).toEqual([2000, 1990, before, last]);
  expect(seen.filter(([where]) => where === 'orderFilled').map(([, equity]) => equity)).toEqual([1990, last]);
});

test('a cash account is worth its cash before the first price', async () => {
  const { seen } = await looks('netting', { onStart: (self) => looking(self).look('start') });
  expect(seen).toEqual([['start', 2000, 0, 0]]);
});

test('a row of the equity curve has equity and fall of one moment', async () => {
  const { result } = await looks('netting', {});
  expect(result.state.portfolio.curve.samples.map(({ equity, drawdown }) => [equity.toFixed(), Number(drawdown.toFixed(9))])).toEqual([
    ['2000', 0],
    ['1593.9', 0.20305],
  ]);
});
