import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Subject } from 'rxjs';
import type { ExchangeOptions } from '../../src/local-exchange/options.ts';
import { SteppedClock } from '../../src/local-exchange/stepped-clock.ts';
import { Decimal } from '../../src/model/decimal.ts';
import type { Instrument } from '../../src/model/instrument.ts';
import type { MarginSettings } from '../../src/model/margin.ts';
import { Ticker } from '../../src/model/market-events.ts';
import type { FeedItem } from '../../src/ports/market-feed.ts';
import { T0 } from '../builders.ts';
import { BTC, failure, INSTRUMENTS, type Local, PERP, spotOrder, startLocal, trigger } from './local.ts';

let folder: string;
let file: string;
let local: Local | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'));
  file = join(folder, 'exchange.state');
});
afterEach(async () => {
  await local?.close();
  local = undefined;
  rmSync(folder, { recursive: true });
});
const start = async (options: Partial<ExchangeOptions> = {}) => {
  local = await startLocal({ stateFile: file, ...options });
  return local;
};
const restart = async (after = 0, options: Partial<ExchangeOptions> = {}) => {
  const now = local!.exchange.now();
  await local!.close();
  local = undefined;
  return start({ clock: new SteppedClock(now + after), ...options });
};

/** Everything that its owner can see. */
async function picture(of: Local) {
  const [guest, affiliate] = [of.client('guest'), of.client('affiliate')];
  const orders = await Promise.all(
    of.exchange.exchange.accounts
      .named('guest')!
      .orders.all.filter(({ instrument }) => instrument.kind === 'spot')
      .map(({ orderId }) => guest.orderInfo({ orderId })),
  );
  return {
    orders,
    tickers: await guest.tickers(),
    fills: await guest.fills({ symbol: BTC }),
    assets: [await guest.accountAssets(), await guest.futuresAssets(), await affiliate.accountAssets()],
    transfers: await guest.transferRecords(),
    futures: [await guest.futuresOrders(), await guest.singlePosition({ symbol: PERP }), await guest.futuresAccount({ coinId: '2' })],
    affiliate: [
      await affiliate.subAffiliateData({ productType: 'SPOT' }),
      await affiliate.invitedUsers(),
      await affiliate.internalWithdrawalStatus(),
    ],
  };
}

test('a restarted exchange continues with its state', async () => {
  const first = await start();
  first.price('BTC-USDT', '101');
  first.price('BTC-USDT-PERP', '100');
  const guest = first.client();
  await guest.batchOrders({
    symbol: BTC,
    orderList: [spotOrder(), spotOrder({ orderType: 'market', quantity: '50' }), spotOrder({ quantity: '9999' })],
  });
  const cancelled = spotOrder({ price: '50' });
  await guest.batchOrders({ symbol: BTC, orderList: [cancelled] });
  await guest.cancelOrder({ symbol: BTC, clientOid: cancelled.clientOrderId });
  await guest.triggerOrder(trigger({ trigger_price: '100' }));
  await guest.triggerOrder(trigger({ trigger_price: '90', type: '3' }));
  first.step(60_000);
  first.price('BTC-USDT-PERP', '105');
  first.exchange.control.transfer('guest', 'USDT', '10', 'spot', 'funding');
  await first.client('affiliate').internalWithdrawal({ toUserId: first.account('guest').uid, coin: 'USDT', amount: '7' });
  first.step(2_000);
  const before = await picture(first);
  const second = await restart();
  expect(await picture(second)).toEqual(before);

  // And what was waiting still happens.
  second.price('BTC-USDT', '100');
  second.price('BTC-USDT-PERP', '90');
  expect(await second.client().fills({ symbol: BTC })).toMatchObject({ totals: 2 });
  expect(await second.client().singlePosition({ symbol: PERP })).toEqual([]);
  const again = await restart();
  expect(await again.client().fills({ symbol: BTC })).toMatchObject({ totals: 2 });
});

test('a pending withdrawal is settled after the restart, and ids continue', async () => {
  const first = await start();
  const send = (of: Local) => of.client('affiliate').internalWithdrawal({ toUserId: of.account('guest').uid, coin: 'USDT', amount: '7' });
  const { id } = await send(first);
  const second = await restart(1_000);
  const statuses = async () => (await second.client('affiliate').internalWithdrawalStatus()).list.map(({ status }) => status);
  expect(await statuses()).toEqual(['PROGRESSING']);
  second.step(1_000);
  expect(await statuses()).toEqual(['SUCCESS']);
  expect(Number((await send(second)).id) - Number(id)).toBeLessThan(1_000);
  expect((await send(second)).id).not.toBe(id);
});

test('a client id stays taken over a restart', async () => {
  const first = await start();
  await first.client().batchOrders({ symbol: BTC, orderList: [spotOrder({ clientOrderId: 'mine' })] });
  const second = await restart();
  expect(await failure(second.client().batchOrders({ symbol: BTC, orderList: [spotOrder({ clientOrderId: 'mine' })] }))).toMatchObject({
    exchangeCode: '43002',
  });
});

test('prices of one time are applied together after a restart too', async () => {
  const events$ = new Subject<FeedItem>();
  const first = await start({ feed: { events$ } });
  const [spot, , contract] = INSTRUMENTS as [Instrument, Instrument, Instrument];
  const together = (ticks: number) =>
    events$.next({ kind: 'together', events: [new Ticker(spot, T0, 1, ticks), new Ticker(contract, T0, 2, 1_000)] });
  together(10_000);
  await first.client().triggerOrder(trigger({ trigger_price: '100' }));
  together(10_100);
  expect(await first.client().ticker({ symbol: BTC })).toMatchObject({ lastPrice: '101' });
  const before = await picture(first);
  const second = await restart();
  expect(await picture(second)).toEqual(before);
  expect(before.futures[1]).toMatchObject([{ open_value: '100' }]);
});

describe('a state file', () => {
  test('whose last line was cut short loses that line, and is written on', async () => {
    const first = await start();
    first.price('BTC-USDT', '101');
    await first.close();
    local = undefined;
    appendFileSync(file, '[1700006400000,"deposit",{"uid":"69');
    const second = await start();
    expect(await second.client().ticker({ symbol: BTC })).toMatchObject({ lastPrice: '101' });
    second.price('BTC-USDT', '102');
    const third = await restart();
    expect(await third.client().ticker({ symbol: BTC })).toMatchObject({ lastPrice: '102' });
  });

  test.each([
    ['is cut', (line: string) => line.slice(0, 20), 'no JSON'],
    ['is another object', () => '{"kind":"deposit"}', 'no action'],
    ['names no action', (line: string) => line.replace('"deposit"', '"gift"'), 'an action that cannot be done'],
    ['holds no amount', (line: string) => line.replace('"7"', '"x7"'), 'an action that cannot be done'],
    ['is of nobody', (line: string) => line.replace(/"uid":"\d+"/, '"uid":"5"'), 'an action that cannot be done'],
  ])('in whose middle a line %s is refused, at that line', async (_name, damage, what) => {
    const first = await start();
    first.price('BTC-USDT', '101');
    first.exchange.control.deposit('guest', 'spot', 'USDT', '7');
    first.price('BTC-USDT', '102');
    await first.close();
    local = undefined;
    const lines = readFileSync(file, 'utf8').split('\n');
    expect(lines[2]).toContain('"deposit"');
    lines[2] = damage(lines[2]!);
    writeFileSync(file, lines.join('\n'));
    const refused = await failure(startLocal({ stateFile: file }));
    expect(refused).toMatchObject({ code: 'DATA_INVALID', message: `${file}:3: ${what}: the file was changed by something else` });
    // It stays as it was, for whoever can mend it.
    expect(readFileSync(file, 'utf8')).toBe(lines.join('\n'));
  });

  test('of other rules or of another kind is refused', async () => {
    await (await start()).close();
    local = undefined;
    await expect(startLocal({ stateFile: file, behaviour: { commissionRate: '0.5' } })).rejects.toMatchObject({ code: 'DATA_INVALID' });
    const margin = (_instrument: Instrument, account: string): MarginSettings => ({
      mode: account === 'guest' ? 'isolated' : 'shared',
      separated: false,
      longLeverage: new Decimal(10),
      shortLeverage: new Decimal(10),
      autoAppend: false,
    });
    await expect(startLocal({ stateFile: file, margin })).rejects.toMatchObject({ code: 'DATA_INVALID' });
    writeFileSync(file, 'something\n');
    await expect(startLocal({ stateFile: file })).rejects.toMatchObject({ code: 'DATA_INVALID' });
    writeFileSync(file, '');
    await expect(startLocal({ stateFile: file })).rejects.toMatchObject({ code: 'DATA_INVALID' });
  });

  test('does not grow with unchanged tickers, and contains no secrets', async () => {
    const first = await start();
    for (let tick = 0; tick < 10; tick++) first.price('BTC-USDT', '101');
    const text = readFileSync(file, 'utf8');
    expect(text.split('\n')).toHaveLength(3);
    expect(JSON.parse(text.split('\n')[1]!)).toEqual([T0, 'price', ['ticker', 0, 10_100]]);
    expect(text).not.toContain(first.account('guest').secret);
  });
});

test('a restarted exchange keeps changed steps', async () => {
  const first = await start();
  first.exchange.control.setGrid('BTC-USDT', { tickSize: '0.5', minQuantity: '2' });
  const second = await restart();
  const [info] = await second.client().exchangeInfo({ symbol: BTC });
  expect([info!.tickSize, info!.stepSize, info!.minTradeAmount]).toEqual(['0.5', '0.0001', '2']);
});
