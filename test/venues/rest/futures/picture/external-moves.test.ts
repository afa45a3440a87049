import { expect, test } from '@jest/globals';
import { Decimal } from '../../../../../src/model/decimal.ts';
import type { AccountPicture } from '../../../../../src/venues/rest/futures/picture/account-picture.ts';
import { externalMoves } from '../../../../../src/venues/rest/futures/picture/picture-change.ts';
import { addHidden, type SideChange, unchanged } from '../../../../../src/venues/rest/futures/picture/side-change.ts';

/** An account without positions, whose shared collateral holds so much, so much of it moved in. */
const picture = (amount: string, transferIn: string) =>
  ({
    coin: 'USDT',
    version: '1',
    positions: [],
    collaterals: [{ key: 'shared', amount: new Decimal(amount), transferIn: new Decimal(transferIn) }],
  }) as unknown as AccountPicture;

test.each([
  ['a transfer', '102', false, 'transfer'],
  ["the insurance fund's, where the wallet would lie below zero without it", '0', false, 'insurance'],
  ["the insurance fund's, where an isolated position has lost more than its margin", '102', true, 'insurance'],
])('what comes in is %s', (_, amount, sunk, reason) => {
  const moves = externalMoves(picture('100', '0'), picture(amount, '2'), ['shared'], sunk);
  expect(moves.map((move) => [move.reason, move.amount.toFixed()])).toEqual([[reason, '2']]);
});

test.each<[string, string | undefined, string[]]>([
  ['the order that the separated position is of', '7', ['7 427']],
  ['another order', '8', ['7 0', ' 427']],
  ['nobody knows which', undefined, ['7 0', ' 427']],
])('what was opened unseen by %s goes to its position', (_, orderId, opened) => {
  const units: SideChange[] = [unchanged({ symbol: 'cmt_ethusdt', positionSide: 'short', orderId: '7' })];
  const opener = { symbol: 'cmt_ethusdt', steps: 427, estimate: new Decimal(100), ...(orderId === undefined ? {} : { orderId }) };
  addHidden(units, [opener], new Decimal(100), 'short');
  expect(units.map((unit) => `${unit.orderId} ${unit.opened.steps}`)).toEqual(opened);
});
