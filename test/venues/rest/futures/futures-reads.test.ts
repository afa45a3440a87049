import { describe, expect, test } from '@jest/globals';
import { type Cause, ExchangeError } from '../../../../src/exchange/errors.ts';
import type { Instrument } from '../../../../src/model/instrument.ts';
import { FuturesReads } from '../../../../src/venues/rest/futures/futures-reads.ts';
import { perpetual, T0 } from '../../../builders.ts';

const BTC = perpetual({ symbol: 'BTC-USDT-PERP' });
const ETH = perpetual({ symbol: 'ETH-USDT-PERP' });
const CONTRACTS = [BTC, ETH];
const PAGE = 100;

const failed = (operation: 'futuresBills' | 'futuresOrder', cause: Cause, exchangeCode?: string) =>
  new ExchangeError({ operation, cause, scope: 'read', message: 'as scripted', ...(exchangeCode && { exchangeCode }) });

/** An ended trigger of the list, the newest first; its id is its place. */
const trigger = (place: number) => ({
  order_id: `t-${place}`,
  client_oid: `bot-${place}`,
  symbol: 'cmt_btcusdt',
  size: '1',
  price: '0',
  triggerPrice: '100',
  status: '-1',
  type: '3',
  createTime: T0 - place,
});

const order = (name: string) => ({
  order_id: `o-${name}`,
  client_oid: `bot-${name}`,
  symbol: 'cmt_btcusdt',
  size: '1',
  price: '100',
  price_avg: '0',
  filled_qty: '0',
  type: 'open_long',
  order_type: 'normal',
  status: 'canceled',
  createTime: T0,
});

/** A contract without open orders, whose ended orders and triggers the test sets. */
function listed({ triggers = 0 } = {}) {
  const orders: ReturnType<typeof order>[] = [];
  const asked = { history: 0, pages: [] as (number | undefined)[] };
  const time = { now: T0 };
  const ended = Array.from({ length: triggers }, (_, place) => trigger(place));
  const client = {
    futuresOrder: async () => {
      throw failed('futuresOrder', 'business', '50007');
    },
    triggers: async () => [],
    futuresOrders: async () => [],
    futuresHistory: async () => {
      asked.history++;
      return [...orders];
    },
    triggerHistory: async ({ endTime = Number.POSITIVE_INFINITY }: { endTime?: number }) => {
      asked.pages.push(Number.isFinite(endTime) ? T0 - endTime : undefined);
      const older = ended.filter(({ createTime }) => createTime <= endTime);
      return { list: older.slice(0, PAGE), nextPage: older.length > PAGE };
    },
  };
  const reads = new FuturesReads({ client: client as never, now: () => time.now, instruments: [BTC] });
  const find = async (id: string, since?: number) => {
    const named = id.startsWith('bot-') ? { clientOrderId: id } : { orderId: id };
    return (await reads.order({ ask: 'order', instrument: BTC, id: named, since }))?.orderId;
  };
  return { orders, asked, time, find };
}

describe('the lists of what is over', () => {
  test('are requested once for all look-ups that were due before', async () => {
    const { orders, asked, time, find } = listed({ triggers: 3 });
    orders.push(order('a'), order('b'));
    time.now = T0 + 10;
    expect(await find('o-a', T0)).toBe('o-a');
    time.now = T0 + 500;
    expect(await find('bot-b', T0 + 5)).toBe('o-b');
    expect([await find('t-2', T0 + 9), await find('bot-0', T0)]).toEqual(['t-2', 't-0']);
    expect(asked).toEqual({ history: 1, pages: [undefined] });
  });

  test('are requested again for a look-up that was due later, and are new then', async () => {
    const { orders, asked, time, find } = listed({ triggers: 1 });
    time.now = T0 + 1;
    await find('t-0', T0);
    time.now = T0 + 500;
    orders.push(order('late'));
    expect(await find('o-late', T0)).toBeUndefined();
    // Due at the very time of the request: it may be older than what made the look-up due.
    expect(await find('o-late', T0 + 1)).toBe('o-late');
    await find('t-0', T0 + 499);
    expect(asked).toEqual({ history: 2, pages: [undefined, undefined] });
  });

  test('are requested for each look-up that does not say since when it is due', async () => {
    const { orders, asked, find } = listed();
    orders.push(order('a'));
    expect([await find('o-a'), await find('bot-a')]).toEqual(['o-a', 'o-a']);
    expect(asked.history).toBe(2);
  });

  test('are read on page by page, only until the order is found', async () => {
    const { asked, time, find } = listed({ triggers: 250 });
    time.now = T0 + 1;
    expect(await find('t-7', T0)).toBe('t-7');
    expect(asked.pages).toEqual([undefined]);
    expect(await find('bot-150', T0)).toBe('t-150');
    // Pages overlap by the triggers of one moment: the second one begins one ms after the last one of the first.
    expect(asked.pages).toEqual([undefined, 98]);
    expect([await find('t-99', T0), await find('t-197', T0)]).toEqual(['t-99', 't-197']);
    expect(asked.pages).toHaveLength(2);
    expect(await find('t-249', T0)).toBe('t-249');
    expect(await find('t-999', T0)).toBeUndefined();
    expect(asked).toEqual({ history: 1, pages: [undefined, 98, 196] });
  });
});

describe('bills of several pages', () => {
  const bill = (billId: string) => ({
    billId,
    businessType: 'position_funding',
    symbol: 'cmt_btcusdt',
    amount: '-1',
    transferReason: '',
    ctime: T0 - Number(billId),
  });

  /** Pages of one bill each, the newest first, and the last one of the page before; an error is thrown instead. */
  function read(pages: readonly (string | ExchangeError)[], partly: boolean) {
    let page = 0;
    const client = {
      futuresBills: async () => {
        const shown = pages.slice(Math.max(0, page - 1), ++page);
        for (const next of shown) if (next instanceof ExchangeError) throw next;
        return { items: shown.map((next) => bill(String(next))), hasNextPage: page < pages.length };
      },
    };
    const reads = new FuturesReads({ client: client as never, now: () => T0, instruments: [BTC] });
    return reads.bills({ ask: 'bills', coin: 'USDT', from: T0 - 10_000, partly });
  }
  const noReply = failed('futuresBills', 'timedOut');
  const refused = failed('futuresBills', 'business');

  test.each([true, false])('are all read, oldest first, whether or not a part would do (%s)', async (partly) => {
    const { records, whole } = await read(['1', '2', '3'], partly);
    expect([records.map(({ billId }) => billId), whole]).toEqual([['3', '2', '1'], true]);
  });

  test('are those that were read where a later page fails and a part will do', async () => {
    const { records, whole } = await read(['1', '2', noReply], true);
    expect([records.map(({ billId }) => billId), whole]).toEqual([['2', '1'], false]);
  });

  test.each<[string, readonly (string | ExchangeError)[], boolean, ExchangeError]>([
    ['a later page fails and all are needed', ['1', noReply], false, noReply],
    ['the first page fails', [noReply, '2'], true, noReply],
    ['the exchange refuses a later page', ['1', refused], true, refused],
  ])('fail where %s', async (_, pages, partly, error) => {
    await expect(read(pages, partly)).rejects.toBe(error);
  });
});

describe('the lists of several contracts', () => {
  const fill = (symbol: string, tradeId: string) => ({
    tradeId,
    orderId: `o-${tradeId}`,
    symbol,
    orderSide: 'BUY',
    positionSide: 'LONG',
    fillSize: '1',
    fillValue: '100',
    fillFee: '0',
    liquidateFee: '0',
    realizePnl: '0',
    createdTime: T0,
  });

  test('are requested once for all that ask for them at one time', async () => {
    const asked: (string | undefined)[] = [];
    const time = { now: T0 };
    const note = <T>(list: T) => {
      return async ({ symbol }: { symbol?: string }) => {
        asked.push(symbol);
        return list;
      };
    };
    const client = {
      futuresFills: note({ list: [fill('cmt_btcusdt', '1'), fill('cmt_ethusdt', '2'), fill('cmt_solusdt', '3')], nextFlag: false }),
      triggers: note([]),
      futuresOrders: note([]),
    };
    const reads = new FuturesReads({ client: client as never, now: () => time.now, instruments: CONTRACTS });
    const shared = { since: T0, from: T0 - 10_000 };
    const idsOf = async (instrument: Instrument, since = T0) => {
      const { records } = await reads.fills({ ask: 'fills', instrument, from: T0 - 5_000, shared: { ...shared, since } });
      return records.map(({ fillId }) => fillId);
    };
    expect([await idsOf(BTC), await idsOf(ETH)]).toEqual([['1'], ['2']]);
    expect(asked).toEqual([undefined]);
    // The next time.
    time.now = T0 + 1_000;
    await idsOf(ETH, T0 + 1_000);
    expect(asked).toEqual([undefined, undefined]);
    for (const instrument of CONTRACTS) await reads.openOrders({ ask: 'openOrders', instrument, since: T0 + 500 });
    expect(asked).toHaveLength(4);
    await reads.openOrders({ ask: 'openOrders', instrument: BTC });
    expect(asked.slice(4)).toEqual(['cmt_btcusdt', 'cmt_btcusdt']);
  });
});

test('fills of two contracts with one id are both shown', async () => {
  const fill = (symbol: string) => ({
    symbol,
    tradeId: '7',
    orderId: `o-${symbol}`,
    orderSide: 'BUY',
    positionSide: 'LONG',
    fillSize: '1',
    fillValue: '100',
    fillFee: '0',
    liquidateFee: '0',
    realizePnl: '0',
    createdTime: T0,
  });
  const futuresFills = async () => ({ list: [fill('cmt_btcusdt'), fill('cmt_ethusdt')], nextFlag: false });
  const reads = new FuturesReads({ client: { futuresFills } as never, now: () => T0, instruments: CONTRACTS });
  const shared = { since: T0, from: T0 };
  const found = CONTRACTS.map((instrument) => reads.fills({ ask: 'fills', instrument, from: T0, shared }));
  const ids = (await Promise.all(found)).map(({ records }) => records.map(({ orderId }) => orderId));
  expect(ids).toEqual([['o-cmt_btcusdt'], ['o-cmt_ethusdt']]);
});

test.each([
  ['5e-1', '0.5'],
  ['', '0'],
  ['MAKER', '0'],
])('a fee of a fill written as "%s" is %s', async (fillFee, fee) => {
  const record = {
    symbol: 'cmt_btcusdt',
    tradeId: '7',
    orderId: '8',
    orderSide: 'BUY',
    positionSide: 'LONG',
    fillSize: '1',
    fillValue: '100',
  };
  const list = [{ ...record, fillFee, liquidateFee: fillFee, realizePnl: '-25E-1', createdTime: T0 }];
  const client = { futuresFills: async () => ({ list, nextFlag: false }) };
  const reads = new FuturesReads({ client: client as never, now: () => T0, instruments: CONTRACTS });
  const [seen] = await reads.fillsOf({ ask: 'fillsOf', instrument: BTC, orderId: '8' });
  expect([seen?.fee, seen?.liquidationFee, seen?.profit].map(String)).toEqual([fee, fee, '-2.5']);
});

test('fills and triggers of another order than the one asked for are not taken', async () => {
  const fill = { symbol: 'cmt_btcusdt', tradeId: '7', orderSide: 'BUY', positionSide: 'LONG', fillSize: '1', fillValue: '100' };
  const rest = { fillFee: '0', liquidateFee: '0', realizePnl: '0', createdTime: T0 };
  const list = ['o-1', 'o-2'].map((orderId) => ({ ...fill, ...rest, orderId }));
  const client = {
    futuresFills: async () => ({ list, nextFlag: false }),
    triggers: async () => [trigger(1), trigger(2)],
    futuresOrder: async () => {
      throw failed('futuresOrder', 'business', '50007');
    },
    futuresHistory: async () => [],
    triggerHistory: async () => ({ list: [], nextPage: false }),
  };
  const reads = new FuturesReads({ client: client as never, now: () => T0, instruments: CONTRACTS });
  const found = await reads.fillsOf({ ask: 'fillsOf', instrument: BTC, orderId: 'o-2' });
  expect(found.map(({ orderId }) => orderId)).toEqual(['o-2']);
  for (const waits of [true, false]) {
    const order = (orderId: string) => reads.order({ ask: 'order', instrument: BTC, id: { orderId }, waits });
    expect([(await order('t-2'))?.orderId, await order('t-3')]).toEqual(['t-2', undefined]);
  }
});
