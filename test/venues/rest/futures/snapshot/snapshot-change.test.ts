import { expect, test } from '@jest/globals';
import { Decimal, ZERO } from '../../../../../src/model/decimal.ts';
import type { AccountSnapshot, PositionFigures } from '../../../../../src/venues/rest/futures/snapshot/account-snapshot.ts';
import { addHidden, type HiddenOpening, type SideChange, unchanged } from '../../../../../src/venues/rest/futures/snapshot/side-change.ts';
import { changeBetween, externalMoves } from '../../../../../src/venues/rest/futures/snapshot/snapshot-change.ts';
import { BTC, ETH } from '../world.ts';

const INSTRUMENTS = new Map([
  ['cmt_btcusdt', BTC],
  ['cmt_ethusdt', ETH],
]);
/** 0.001 BTC at 100, and 0.001 ETH at 50. */
const PRICES = { cmt_btcusdt: new Decimal('0.1'), cmt_ethusdt: new Decimal('0.05') };
type Symbol = keyof typeof PRICES;

/** A long position of so many steps, all of whose trades were at one price and free. */
function position(symbol: Symbol, state: PositionFigures['state'], [opened, closed]: readonly [number, number]): PositionFigures {
  const worth = (steps: number) => PRICES[symbol].times(steps);
  return {
    id: symbol,
    born: '1',
    symbol,
    positionSide: 'long',
    orderId: '',
    isolated: false,
    state,
    steps: opened - closed,
    openedSteps: opened,
    closedSteps: closed,
    leverage: new Decimal(10),
    openValue: worth(opened - closed),
    openFee: ZERO,
    margin: ZERO,
    openedValue: worth(opened),
    openedFee: ZERO,
    closedValue: worth(closed),
    closedFee: ZERO,
    funding: ZERO,
    liquidationFee: ZERO,
  };
}

/** An account that began with 1000 and has opened and closed for so much, long. */
function picture(openLong: string, closeLong: string, positions: readonly PositionFigures[]): AccountSnapshot {
  const none = [
    'deposit',
    'withdraw',
    'transferIn',
    'transferOut',
    'openShort',
    'closeShort',
    'fee',
    'feeIncome',
    'liquidationFee',
  ] as const;
  const zeros = Object.fromEntries([...none, 'liquidationFeeIncome' as const, 'funding' as const].map((name) => [name, ZERO]));
  const amount = new Decimal(1_000).minus(openLong).plus(closeLong);
  const moved = { openLong: new Decimal(openLong).negated(), closeLong: new Decimal(closeLong) };
  const shared = { ...zeros, ...moved, key: 'shared', amount } as unknown as AccountSnapshot['collaterals'][number];
  return { coin: 'USDT', version: '1', positions, collaterals: [shared] };
}

const opening = (symbol: Symbol, steps: number) => ({ symbol, steps, estimate: PRICES[symbol].times(steps) });

/** What is told of picture after picture. @param unseen what is taken for opened unseen, one after the other. */
function told(pictures: readonly AccountSnapshot[], ...unseen: HiddenOpening[]): string[] {
  let [base, ...later] = pictures as [AccountSnapshot, ...AccountSnapshot[]];
  return later.map((now) => {
    const change = changeBetween(base, now, INSTRUMENTS, () => unseen.splice(0, 1));
    expect(change.rest.toFixed()).toBe('0');
    base = change.base;
    return change.sides.map((side) => `${side.symbol} +${side.opened.steps} -${side.closed.steps}`).join(', ');
  });
}

test('an unseen opening on a closed position is not reported again when the position is listed again', () => {
  const gone = position('cmt_btcusdt', 'gone', [100, 100]);
  // 50 are opened and closed, then 30 opened; and of another as much as the 50 were worth.
  const listed = position('cmt_btcusdt', 'listed', [180, 150]);
  const pictures = [picture('10', '10', [gone]), picture('15', '15', []), picture('23', '20', [listed])];
  const changes = told(pictures, opening('cmt_btcusdt', 50), opening('cmt_ethusdt', 100));
  expect(changes).toEqual(['cmt_btcusdt +50 -50', 'cmt_btcusdt +30 -0, cmt_ethusdt +100 -100']);
});

const GONE = [position('cmt_btcusdt', 'gone', [100, 100])];
test.each([
  ['another that was gone', position('cmt_ethusdt', 'gone', [100, 100]), GONE, ['15', '15'], [180, 150], 'cmt_ethusdt +100 -100'],
  // Nothing was known before of the position that it was.
  ['another that was open', position('cmt_ethusdt', 'listed', [100, 0]), [], ['5', '0'], [80, 50], 'cmt_ethusdt +100 -200'],
] as const)('steps opened unseen and attributed to %s are not reported again', (_, other, own, [open, close], sums, first) => {
  // 50 for 5 that are taken for 100 of the other, then 30 for 3.
  const after = new Decimal(open).plus(5);
  const pictures = [
    picture(open, close, [other, ...own]),
    picture(after.toFixed(), after.toFixed(), []),
    picture(after.plus(3).toFixed(), after.toFixed(), [position('cmt_btcusdt', 'listed', sums)]),
  ];
  expect(told(pictures, opening('cmt_ethusdt', 100))).toEqual([first, 'cmt_btcusdt +30 -0']);
});

test('the sums of a position that is listed again show a close between two snapshots', () => {
  const gone = position('cmt_btcusdt', 'gone', [100, 100]);
  const pictures = [picture('10', '10', [gone]), picture('15', '12', [position('cmt_btcusdt', 'listed', [150, 120])])];
  expect(told(pictures)).toEqual(['cmt_btcusdt +50 -20']);
});

/** An account without positions, whose shared collateral holds so much, so much of it moved in. */
const sharedPicture = (amount: string, transferIn: string) =>
  ({
    coin: 'USDT',
    version: '1',
    positions: [],
    collaterals: [{ key: 'shared', amount: new Decimal(amount), transferIn: new Decimal(transferIn) }],
  }) as unknown as AccountSnapshot;

test.each([
  ['a transfer', '102', false, 'transfer'],
  ["the insurance fund's, where the wallet would lie below zero without it", '0', false, 'insurance'],
  ["the insurance fund's, where an isolated position has lost more than its margin", '102', true, 'insurance'],
])('incoming money is %s', (_, amount, sunk, reason) => {
  const moves = externalMoves(sharedPicture('100', '0'), sharedPicture(amount, '2'), ['shared'], sunk);
  expect(moves.map((move) => [move.reason, move.amount.toFixed()])).toEqual([[reason, '2']]);
});

test.each<[string, string | undefined, string[]]>([
  ['the order that the separated position is of', '7', ['7 427']],
  ['another order', '8', ['7 0', ' 427']],
  ['nobody knows which', undefined, ['7 0', ' 427']],
])('steps opened unseen by %s are added to its position', (_, orderId, opened) => {
  const units: SideChange[] = [unchanged({ symbol: 'cmt_ethusdt', positionSide: 'short', orderId: '7' })];
  const opener = { symbol: 'cmt_ethusdt', steps: 427, estimate: new Decimal(100), ...(orderId === undefined ? {} : { orderId }) };
  addHidden(units, [opener], new Decimal(100), 'short');
  expect(units.map((unit) => `${unit.orderId} ${unit.opened.steps}`)).toEqual(opened);
});
