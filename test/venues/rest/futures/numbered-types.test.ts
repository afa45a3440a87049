import { expect, test } from '@jest/globals';
import { ExchangeError } from '../../../../src/exchange/errors.ts';
import { FuturesReads } from '../../../../src/venues/rest/futures/futures-reads.ts';
import { perpetual } from '../../../builders.ts';

const [instrument] = [perpetual()];

/** An exchange that knows one order, from its list of ended triggers alone. */
function knowing(type: string) {
  const unknown = new ExchangeError({
    operation: 'futuresOrder',
    cause: 'business',
    scope: 'read',
    message: 'order does not exist',
    exchangeCode: '50007',
  });
  const record = { order_id: '7', client_oid: '', symbol: 'cmt_btcusdt', size: '0.2', price: '0', status: '2', type };
  const times = { createTime: 1, triggerTime: 1, triggerPrice: '0' };
  return new FuturesReads({
    client: {
      futuresOrder: () => Promise.reject(unknown),
      triggers: () => Promise.resolve([]),
      futuresHistory: () => Promise.resolve([]),
      triggerHistory: () => Promise.resolve({ list: [{ ...record, ...times }], nextPage: false }),
    } as never,
    now: () => 10,
    instruments: [instrument],
  });
}

test.each([
  ['3', 'sell', 'long', undefined],
  ['7', 'sell', 'long', 'autoDeleveraging'],
  ['8', 'buy', 'short', 'autoDeleveraging'],
  ['9', 'sell', 'long', 'burstLiquidation'],
  ['10', 'buy', 'short', 'burstLiquidation'],
])('a record of the type %s among ended triggers is a %s of the %s side, forced: %s', async (type, side, positionSide, forced) => {
  const seen = await knowing(type).order({ ask: 'order', instrument, id: { orderId: '7' } });
  expect(seen).toMatchObject({ side, positionSide });
  expect(seen?.forced).toBe(forced);
});
