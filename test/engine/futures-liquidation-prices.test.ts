import { describe, expect, test } from '@jest/globals';
import { liquidationShares } from '../../src/engine/account-path.ts';
import type { PositionLiquidated } from '../../src/model/account-events.ts';
import { Decimal } from '../../src/model/decimal.ts';
import { Fill } from '../../src/model/fill.ts';
import { applyAccount } from '../../src/state/apply.ts';
import type { State } from '../../src/state/state.ts';
import { place } from '../../src/strategy/intents.ts';
import { perpetual, type RunResult, run, Scripted, series } from '../builders.ts';
import { futures, PERP, trade } from '../state/builders.ts';

/** Ticks of 0.1, steps of 0.0001, a taker's fee of 0.06 %, maintenance of 0.5 %. */
const COIN = perpetual({ tickSize: '0.1', stepSize: '0.0001', takerFee: '0.0006', contract: { tiers: [{ maintenance: '0.005' }] } });

interface Wish {
  readonly by?: 's' | 't';
  /** At which ticker, from 0. */
  readonly at: number;
  readonly side: 'long' | 'short';
  readonly quantity: number;
}

interface Case {
  readonly margin: { readonly mode: 'shared' | 'isolated'; readonly separated?: boolean; readonly leverage: number };
  readonly balance: string;
  readonly wishes: readonly Wish[];
  readonly prices: readonly number[];
}

/** The prices of liquidation that `s`, `t` and the account see at each ticker, long and short. */
async function shownOver({ margin, balance, wishes, prices }: Case): Promise<RunResult & { shown: Record<string, unknown>[] }> {
  const shown: Record<string, unknown>[] = [];
  const { mode, separated = false } = margin;
  const leverage = new Decimal(margin.leverage);
  const strategies = (['s', 't'] as const).map((id) => {
    let count = 0;
    const onTicker = (self: Scripted) => {
      const index = count++;
      const seen = (side: 'long' | 'short') => self.held(COIN.symbol, side).liquidationPrice?.toFixed(6);
      shown[index] = { ...shown[index], [id]: [seen('long'), seen('short')] };
      const own = wishes.filter(({ by = 's', at }) => by === id && at === index);
      return own.map(({ side, quantity }) =>
        place({ symbol: COIN.symbol, side: side === 'long' ? 'buy' : 'sell', positionSide: side, type: 'market', quantity }),
      );
    };
    const create = (context: ConstructorParameters<typeof Scripted>[0]) => new Scripted(context, { onTicker });
    return { id, symbols: [COIN.symbol], params: {}, create };
  });
  const rows = prices.map((price, index) => [index, Math.round(price * 10)] as const);
  const result = await run({
    sources: [{ instrument: COIN, kind: 'ticker', open: () => series('ticker', rows) }],
    kind: 'futures',
    margin: { mode, separated, longLeverage: leverage, shortLeverage: leverage },
    balances: { USDT: balance },
    strategies,
  });
  return { ...result, shown };
}

const liquidations = ({ fills }: RunResult) =>
  fills.flatMap(({ tag, strategyId, positionSide, priceTicks, steps }) =>
    tag === 'liquidation' ? [`${strategyId} ${positionSide} ${steps} at ${priceTicks}`] : [],
  );

describe('a hedge on shared margin', () => {
  const hedge = (larger: 'long' | 'short', ...prices: number[]) =>
    shownOver({
      margin: { mode: 'shared', leverage: 20 },
      balance: '1500',
      wishes: [
        { at: 0, side: larger, quantity: 0.15 },
        { at: 1, side: larger === 'long' ? 'short' : 'long', quantity: 0.05 },
      ],
      prices: [100000, 100000, 100000, ...prices],
    });

  test('net long is liquidated at the price computed from both sides, and not a tick before', async () => {
    // 1488 + 0.1 (p - 100000) = 0.005 x 0.2 p: 8512 / 0.099 = 85979.797980
    const before = await hedge('long', 90000, 85979.8);
    expect(before.shown.slice(2).map(({ s }) => s)).toEqual([
      ['85979.797980', undefined],
      ['85979.797980', undefined],
      ['85979.797980', undefined],
    ]);
    expect(liquidations(before)).toEqual([]);
    expect(liquidations(await hedge('long', 90000, 85979.7))).toEqual(['s long 1500 at 859797']);
    // A rise liquidates nothing.
    expect(liquidations(await hedge('long', 1000000))).toEqual([]);
  });

  test('net short mirrors it', async () => {
    // 1488 + 0.1 (100000 - p) = 0.001 p: 11488 / 0.101 = 113742.574257
    const before = await hedge('short', 113742.5);
    expect(before.shown.at(-1)).toMatchObject({ s: [undefined, '113742.574257'] });
    expect(liquidations(before)).toEqual([]);
    expect(liquidations(await hedge('short', 113742.6))).toEqual(['s short 1500 at 1137426']);
  });
});

describe('separated positions', () => {
  const separated = (...prices: number[]) =>
    shownOver({
      margin: { mode: 'isolated', separated: true, leverage: 10 },
      balance: '5000',
      wishes: [
        { at: 0, side: 'long', quantity: 0.1 },
        { by: 't', at: 1, side: 'long', quantity: 0.1 },
      ],
      prices: [100000, 96500, 96500, ...prices],
    });

  test('each strategy sees the price of its own', async () => {
    // (10000 - 1000) / 0.0995, (9650 - 965) / 0.0995
    expect((await separated()).shown[2]).toEqual({ s: ['90452.261307', undefined], t: ['87286.432161', undefined] });
  });

  test('are liquidated each at its own price, and charged to the strategy that opened them', async () => {
    expect(liquidations(await separated(90452.3))).toEqual([]);
    const first = await separated(90452.2, 87286.5);
    expect(liquidations(first)).toEqual(['s long 1000 at 904522']);
    expect(first.shown.at(-1)).toEqual({ s: [undefined, undefined], t: ['87286.432161', undefined] });
    expect(liquidations(await separated(90452.2, 87286.4))).toEqual(['s long 1000 at 904522', 't long 1000 at 872864']);
  });
});

describe('the shares of a liquidated separated position', () => {
  /** `s` opened `a`, `t` opened `b`: five each. */
  const held = () => {
    const target = futures({ separated: true });
    trade(target, 'long', 5, 100, { clientOrderId: 'a' });
    trade(target, 'long', 5, 130, { clientOrderId: 'b', strategyId: 't' });
    return target;
  };
  const sharesOf = (target: State, positionId: string, steps: number) => {
    const orderId = `v${positionId}`;
    const rest = [PERP.notional(90, steps), new Decimal('0.5'), 'USDT', 'taker', 'liquidation', 5, 7, 8, 5] as const;
    const fill = new Fill('f9', orderId, '', '', PERP, 'sell', 'long', 90, steps, ...rest);
    const event: PositionLiquidated = { kind: 'positionLiquidated', time: 5, orderId, type: 'burstLiquidation', positionId, fill };
    applyAccount(target, event);
    const events = liquidationShares(event, target);
    for (const one of events) applyAccount(target, one);
    return events.flatMap((one) =>
      one.kind === 'orderFilled' ? [`${one.fill.strategyId} ${one.fill.steps} ${one.fill.fee.toFixed()}`] : [],
    );
  };

  test.each<[string, number, string[]]>([
    ['oa', 5, ['s 5 0.5']],
    ['ob', 5, ['t 5 0.5']],
    ['ob', 2, ['t 2 0.5']],
    ['unknown', 4, ['s 2 0.25', 't 2 0.25']],
  ])('%s holds %d steps', (positionId, steps, expected) => {
    expect(sharesOf(held(), positionId, steps)).toEqual(expected);
  });

  test('a part that the opener no longer holds is charged to the others', () => {
    const target = held();
    // Closes the oldest position, `a`, down to three.
    trade(target, 'long', -2, 110, { strategyId: 't' });
    expect(sharesOf(target, 'ob', 5)).toEqual(['s 2 0.2', 't 3 0.3']);
    expect(sharesOf(target, 'oa', 3)).toEqual(['s 3 0.5']);
  });

  test('however many orders have ended since', () => {
    const target = held();
    for (let i = 0; i < 1100; i++) trade(target, 'short', i % 2 === 0 ? 1 : -1, 100);
    expect(target.order('b')).toBeUndefined();
    expect(sharesOf(target, 'ob', 5)).toEqual(['t 5 0.5']);
  });

  test('closes that position of the strategy too', () => {
    const target = held();
    trade(target, 'long', 5, 120, { clientOrderId: 'c' });
    expect(sharesOf(target, 'oc', 5)).toEqual(['s 5 0.5']);
    const own = target.books.get('s')!.position(PERP, 'long');
    expect([own.cost.toFixed(), own.realizedProfit.toFixed()]).toEqual(['500', '-150']);
  });
});
