import { writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import type { Line } from './bot-process.ts';
import { ACCOUNTS, ended, filled, guarded, type Traded } from './guarded.ts';
import { wallExchange } from './wall-exchange.ts';

/** Buys 0.01 at once, and bids for 0.02 when the price has come below 59,000. */
const BIDDER = `import { type Intents, place, Strategy, type Ticker } from 'tidegate';

export class Bidder extends Strategy {
  static needs = { tickers: true };
  bought = false;
  bid = false;
  onTicker({ symbol, last }: Ticker): Intents {
    const long = symbol.endsWith('-PERP') ? { positionSide: 'long' as const } : {};
    if (!this.bought) {
      this.bought = true;
      return place({ symbol, side: 'buy', type: 'market', quantity: '0.01', ...long });
    }
    if (this.bid || last >= 59000) return undefined;
    this.bid = true;
    return place({ symbol, side: 'buy', type: 'limit', price: last * 0.8, quantity: '0.02', ...long });
  }
}
`;

test.each<[Traded]>([['BTC-USDT'], ['BTC-USDT-PERP']])(
  '%s: kill --flatten ends with nothing open although the exchange does not have an order that it confirmed, and says so',
  async (symbol) => {
    const local = await wallExchange({ accounts: ACCOUNTS });
    local.price(symbol, '60000');
    const work = guarded(local, symbol);
    writeFileSync(work.path('once.ts'), BIDDER);
    const bot = work.launch('live', local.env);
    await filled(bot);
    local.exchange.control.setFaults({ rules: [{ fault: 'phantom', times: 1 }] });
    local.price(symbol, '58000');
    const { clientOrderId } = await bot.line(({ msg, quantity }) => msg === 'orderSubmitted' && quantity === '0.02');
    await bot.line((line) => line.msg === 'orderAccepted' && line.clientOrderId === clientOrderId);
    const killed = await work.run(['kill', work.config, '--flatten', '--wait', '60', '--json']);
    // Of spot the fee has taken a part.
    const quantity = symbol === 'BTC-USDT' ? '0.0099' : '0.01';
    expect(JSON.parse(killed.stdout)).toMatchObject({ flatten: { closed: [{ symbol, quantity }] } });
    await bot.line((line) => String(line.msg).includes('VANISHED') && line.clientOrderId === clientOrderId);
    const reason = `order ${clientOrderId} has vanished: the exchange had confirmed it, and does not show it any more`;
    expect(await work.status()).toMatchObject({ trading: 'no', openOrders: {}, health: [{ condition: 'halted', reason }] });
    await ended(bot);
    await work.run(['replay', work.path('runs/once-live'), '--quiet']);
  },
);

/** The lag of a record is drawn between 0 and this, when the record is made: far longer than any test. */
const HIDDEN_MS = 1_000_000_000_000;

test.each<[Traded]>([['BTC-USDT'], ['BTC-USDT-PERP']])(
  '%s: a vanished order that fills after a kill that flattened turns up, and what it bought is closed',
  async (symbol) => {
    const local = await wallExchange({ accounts: ACCOUNTS });
    const { control } = local.exchange;
    local.price(symbol, '60000');
    const work = guarded(local, symbol);
    writeFileSync(work.path('once.ts'), BIDDER);
    const bot = work.launch('live', local.env);
    await filled(bot);
    // The exchange has the bid, and shows it nowhere.
    control.setFaults({ visibilityLagMs: HIDDEN_MS });
    local.price(symbol, '58000');
    const { clientOrderId } = await bot.line(({ msg, quantity }) => msg === 'orderSubmitted' && quantity === '0.02');
    const isBid = (line: Line) => line.clientOrderId === clientOrderId;
    await bot.line((line) => line.msg === 'orderAccepted' && isBid(line));
    control.setFaults({ visibilityLagMs: 0 });
    await bot.line((line) => String(line.msg).includes('VANISHED') && isBid(line));
    await work.run(['kill', work.config, '--flatten', '--wait', '60']);
    expect((await work.status()).positions).toEqual({});
    local.price(symbol, '46000');
    expect(await bot.line((line) => line.msg === 'orderFilled' && isBid(line))).toMatchObject({ quantity: '0.02' });
    await bot.line(({ msg, side, quantity }) => msg === 'orderFilled' && side === 'sell' && quantity === '0.02');
    const { trading, positions, openOrders } = await work.status();
    expect([trading, positions, openOrders]).toEqual(['no', {}, {}]);
    await ended(bot);
    await work.run(['replay', work.path('runs/once-live'), '--quiet']);
  },
);
