import { describe, expect, test } from '@jest/globals';
import { simulateRun } from '../../../src/app/backtest/simulate-run.ts';
import { instrumentsOf } from '../../../src/app/config/complete-instruments.ts';
import { DAY, fed, HOUR, hours, planned, T0 } from './workbench.ts';

const SPOT = 'BTC-USDT';
const PERP = 'BTC-USDT-PERP';
const grid = { tickSize: '0.1', stepSize: '0.001' };
const BASIS = {
  account: { kind: 'spot', balances: { USDT: '1000' } },
  instruments: { [SPOT]: grid, [PERP]: grid },
  symbols: [SPOT],
  references: [PERP],
};
const bars = { symbol: SPOT, kind: 'bar', times: hours(4) } as const;
const of = (kind: 'bar' | 'mark' | 'funding' | 'quote' | 'trade', times = hours(4)) => ({ symbol: PERP, kind, times }) as const;

test('a spot account receives the prices, marks and funding of a perpetual', async () => {
  const seen =
    "static needs = { bars: '1h' }; n = { bar: 0, mark: 0, funding: 0 };" +
    ' onBar({ symbol }) { if (symbol.endsWith("PERP")) this.n.bar++; } onMark() { this.n.mark++; } onFunding() { this.n.funding++; }' +
    ' onStop() { this.log.info(JSON.stringify([this.n, this.symbols, this.references, this.market(this.references[0]).fundingRate])); }';
  const run = await planned([bars, of('bar'), of('mark'), of('funding')], BASIS, seen);
  expect(fed(run)).toEqual([`${SPOT} bar`, `${PERP} bar`, `${PERP} mark`, `${PERP} funding`]);
  expect(run.warnings).toEqual([]);
  expect(run.choices).toEqual([`strategy "s" gets bars and marks and funding of its reference ${PERP}`]);
  expect(run.plan.instruments.map(({ symbol, isReference, contract }) => [symbol, isReference, contract])).toEqual([
    [SPOT, false, undefined],
    [PERP, true, undefined],
  ]);
  const lines: string[] = [];
  const { failure } = await simulateRun({ ...run.plan, log: { ...run.plan.log, info: (line: string) => lines.push(line) } });
  expect(failure).toBeUndefined();
  // 96 hours of bars. The first mark and funding are those of the start.
  expect(lines).toEqual([JSON.stringify([{ bar: 96, mark: 96, funding: 96 }, [SPOT], [PERP], 0.0001])]);
});

test('without `instruments`, references come after everything that is traded', () => {
  const strategies = [
    { symbols: [SPOT], references: [PERP, 'ETH-USDT'] },
    { symbols: ['ETH-USDT'], references: [SPOT] },
  ];
  expect(Object.keys(instrumentsOf({ strategies }) as object)).toEqual([SPOT, 'ETH-USDT', PERP]);
});

describe('a reference of which a kind is not recorded', () => {
  const FULL = { ...BASIS, backtest: { profile: 'full' } };
  const members = 'onQuote() {} onTrade() {}';
  const traded = [
    { symbol: SPOT, kind: 'quote', times: hours(1) },
    { symbol: SPOT, kind: 'trade', times: hours(1) },
  ] as const;

  test('gives the others, with a warning', async () => {
    const run = await planned([...traded, of('trade', hours(1))], FULL, members);
    expect(fed(run)).toEqual([`${SPOT} quote`, `${SPOT} trade`, `${PERP} trade`]);
    expect(run.choices).toEqual([`strategy "s" gets trades of its reference ${PERP}`]);
    expect(run.warnings).toEqual([`strategy "s" gets no quotes of its reference ${PERP}: the run has none`]);
  });

  test('does not change the kinds that the run uses, and is refused if it has none of them', async () => {
    await expect(planned([bars, of('trade')], BASIS)).rejects.toMatchObject({
      code: 'DATA_NOT_FOUND',
      message: `no recorded bars of ${PERP}, which is a reference of a strategy; the recordings have: r/${SPOT}/bar/1h, r/${PERP}/trade`,
    });
  });

  test('is refused if funding is needed and none is recorded', async () => {
    await expect(planned([bars, of('bar')], BASIS, "static needs = { bars: '1h' }; onBar() {} onFunding() {}")).rejects.toMatchObject({
      code: 'DATA_NOT_FOUND',
      message: expect.stringContaining(`strategy "s" needs funding, but ${PERP} has no recorded funding`),
    });
  });
});

describe('the period of a run', () => {
  test('is that of what is traded: a longer reference neither begins nor extends it', async () => {
    // The run is to begin before everything.
    const backtest = { from: T0 - 5 * DAY };
    const run = await planned([bars, of('bar', hours(10, T0 - 3 * DAY))], { ...BASIS, backtest });
    const alone = await planned([bars], { ...BASIS, references: [], instruments: { [SPOT]: grid }, backtest });
    const ends = async ({ plan }: typeof run) => {
      const { samples } = (await simulateRun(plan)).state.portfolio.curve;
      return [samples[0]?.time, samples.at(-1)?.time, samples.length];
    };
    expect(await ends(run)).toEqual(await ends(alone));
  });

  test('begins when the history of a reference is complete too', async () => {
    const members = "static needs = { bars: '1h', history: 3 }; onBar() {}";
    const run = await planned([bars, of('bar', hours(3, T0 + 24 * HOUR))], BASIS, members);
    // Its first three bars end 27 hours in.
    expect(run.plan.from).toBe(T0 + 27 * HOUR);
    expect(run.plan.history('s', PERP, HOUR)).toHaveLength(3);
  });
});

describe('a futures account', () => {
  const FUTURES = {
    account: { kind: 'futures', balances: { USDT: '1000' } },
    instruments: { [PERP]: grid, [SPOT]: grid, 'ETH-USDT-PERP': grid },
    symbols: [PERP],
    references: [SPOT, 'ETH-USDT-PERP'],
  };

  test('receives spot without a spot wallet, and another perpetual without a setting at the exchange', async () => {
    const run = await planned([bars, of('bar'), of('mark'), of('funding'), { ...bars, symbol: 'ETH-USDT-PERP' }], FUTURES);
    expect(fed(run)).toEqual([`${PERP} bar`, `${SPOT} bar`, 'ETH-USDT-PERP bar', `${PERP} mark`, `${PERP} funding`]);
    expect(run.warnings).toEqual([]);
    expect((await simulateRun(run.plan)).failure).toBeUndefined();
  });
});

describe('the currency of equity', () => {
  test('does not depend on references', async () => {
    const other = { symbol: 'BTC-EUR', kind: 'bar', times: hours(4) } as const;
    const run = await planned([bars, other], { ...BASIS, instruments: { [SPOT]: grid, 'BTC-EUR': grid }, references: ['BTC-EUR'] });
    expect(run.plan.account.currency).toBe('USDT');
  });

  test('a reference that alone gives the price of a balance goes on valuing it', async () => {
    const account = { kind: 'spot', balances: { USDT: '1000', ETH: '2' } };
    const instruments = { [SPOT]: grid, 'ETH-USDT': grid };
    const eth = { symbol: 'ETH-USDT', kind: 'bar', times: hours(4) } as const;
    const run = await planned([bars, eth], { ...BASIS, account, instruments, references: ['ETH-USDT'] });
    expect(run.plan.instruments.map(({ isReference }) => isReference)).toEqual([false, false]);
    expect((await simulateRun(run.plan)).state.portfolio.exactEquity().toFixed()).toBe('1200');
  });
});
