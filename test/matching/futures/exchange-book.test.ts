import { expect, test } from '@jest/globals';
import { SpotAccount } from '../../../src/matching/accounts/spot-account.ts';
import { TwoWalletAccount } from '../../../src/matching/accounts/two-wallet-account.ts';
import { FuturesAccount } from '../../../src/matching/futures/futures-account.ts';
import { MatchingEngine } from '../../../src/matching/matching-engine.ts';
import { Decimal } from '../../../src/model/decimal.ts';
import { Funding, Ticker } from '../../../src/model/market-events.ts';
import { fillSettings, instrument, marginSettings, order, perpetual } from '../../builders.ts';
import { Market } from './market.ts';

const INSURANCE = new Map([['USDT', new Decimal(7)]]);

test('gains of accounts are losses of the market, fees, funding or the fund, and the reverse', () => {
  const market = new Market({ deposit: '303', insuranceFund: INSURANCE }).price(1000).open('long', 2).close('long', 1).funding('0.01');
  const { exchangeBook } = market.matching;
  const balance = (account: Parameters<typeof exchangeBook.balance>[0]) => exchangeBook.balance(account, 'USDT').toFixed();
  // 2 + 1 of fees, 10 of funding.
  expect(['deposits', 'market', 'fees', 'funding', 'insurance'].map((name) => balance(name as never))).toEqual([
    '-310',
    '0',
    '3',
    '10',
    '7',
  ]);
  market.price(600);
  // 290 are left: a loss of 400, of which the fund pays 110.
  expect([balance('market'), balance('insurance'), market.balance()]).toEqual(['400', '-103', '0 / 0']);
  expect(exchangeBook.total('USDT').toFixed()).toBe('0');
});

test('the sum of everything equals the deposits: spot, futures, and two accounts with one fund', () => {
  const btc = instrument({ takerFee: '0.001' });
  const perp = perpetual({ takerFee: '0.0007', contract: { liquidationFee: '0.003' } }, 1);
  const settings = marginSettings({ longLeverage: new Decimal(7), shortLeverage: new Decimal(9) });
  const held = {
    opens: () => false,
    any: () => false,
    next: () => undefined,
    follow: () => false,
    passedAsleep: () => false,
    moves: () => false,
    exits: () => [],
    trails: () => false,
    hasEntry: () => false,
  };
  const matching = new MatchingEngine({
    instruments: [btc, perp],
    onBars: false,
    settings: fillSettings(),
    held,
    pause: () => {},
    insuranceFund: INSURANCE,
  });
  const account = (margin = settings) =>
    new TwoWalletAccount(
      new SpotAccount(() => {}),
      new FuturesAccount(
        () => {},
        () => margin,
      ),
    );
  const accounts = [account(), account({ ...settings, mode: 'isolated' })];
  for (const one of accounts) {
    matching.addAccount(one);
    one.deposit(0, 'futures', 'USDT', new Decimal('123.456'));
    one.deposit(0, 'spot', 'USDT', new Decimal('1000'));
  }
  let time = 0;
  const price = (ticks: number) => {
    matching.onTicker(new Ticker(btc, ++time, time, ticks));
    matching.onTicker(new Ticker(perp, ++time, time, ticks));
    if (matching.marginDue) matching.liquidate(time);
    for (const asset of ['USDT', 'BTC']) {
      const all = accounts
        .flatMap(({ balances }) => balances)
        .reduce((sum, held) => (held.asset === asset ? sum.plus(held.total) : sum), new Decimal(0));
      expect(all.plus(matching.exchangeBook.total(asset)).toFixed()).toBe('0');
    }
  };
  const send = (request: Parameters<typeof order>[0]) => {
    for (const one of accounts) matching.submit(one, order({ ...request, clientOrderId: `c${++time}` }), time);
  };
  price(97);
  send({ instrument: btc, steps: 3 });
  send({ instrument: perp, steps: 6 });
  send({ instrument: perp, side: 'sell', steps: 1 });
  price(93);
  matching.onFunding(new Funding(perp, ++time, time, new Decimal('0.00012345')));
  send({ instrument: perp, side: 'sell', positionSide: 'long', steps: 1 });
  send({ instrument: btc, side: 'sell', steps: 2 });
  price(60);
  expect(accounts.map(({ futures }) => futures.heldSteps(perp, 'long'))).toEqual([0, 0]);
  expect(accounts[0]!.balances.map(({ wallet, asset }) => `${wallet} ${asset}`)).toEqual(['futures USDT', 'spot USDT', 'spot BTC']);
});
