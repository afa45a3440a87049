import { expect, test } from '@jest/globals';
import { simulateRun } from '../../../src/app/backtest/simulate-run.ts';
import { loadConfig } from '../../../src/app/config/load-config.ts';
import { poorerPrices } from '../../../src/app/planning/planned-feeds.ts';
import { choiceText, type FeedNeeds, plannedStrategies } from '../../../src/app/planning/planned-strategies.ts';
import type { PriceEventKind } from '../../../src/model/market-events.ts';
import { hours, planned, type Recorded, written } from './workbench.ts';

/** All kinds that the simulator has; the exchange has no quotes. */
const FULL = { profile: 'full' };
const SPOT = {
  backtest: FULL as object,
  account: { kind: 'spot', balances: { USDT: '1000' } },
  instruments: { 'BTC-USDT': { tickSize: '0.1', stepSize: '0.001' } },
  symbols: ['BTC-USDT'],
};
const recorded = (...kinds: Recorded['kind'][]) => kinds.map((kind): Recorded => ({ symbol: 'BTC-USDT', kind, times: hours(1) }));
const LIST = 'static needs = [{ quotes: true }, { tickers: true, bars: "2h" }]; onQuote() {} onTicker() {} onBar() {}';

test.each<[string, Recorded['kind'][], object, PriceEventKind[], string]>([
  ['the first needs that are recorded', ['quote', 'ticker'], FULL, ['quote'], 'strategy "s" gets quotes: choice 1 of 2 of its needs'],
  ['else the next', ['ticker', 'trade'], FULL, ['ticker'], 'strategy "s" gets bars and tickers: choice 2 of 2 of its needs'],
  [
    'not what the config leaves out',
    ['quote', 'ticker'],
    { ...FULL, use: 'ticker' },
    ['ticker'],
    'strategy "s" gets bars and tickers: choice 2 of 2 of its needs',
  ],
  [
    'not what the exchange does not have',
    ['quote', 'ticker'],
    { profile: 'exchange' },
    ['ticker'],
    'strategy "s" gets bars and tickers: choice 2 of 2 of its needs',
  ],
])('a run takes %s', async (_, kinds, backtest, prices, text) => {
  const run = await planned(recorded(...kinds), { ...SPOT, backtest }, LIST);
  expect(run.prices).toEqual(prices);
  expect(run.choices).toEqual([text]);
});

test('where nothing of a choice is recorded, the error is about the last', async () => {
  await expect(planned(recorded('trade'), SPOT, LIST)).rejects.toThrow(/no recorded tickers of BTC-USDT/);
});

test('needs by the mode: a backtest asks for its own', async () => {
  const members = "static needs = (_, mode) => (mode === 'backtest' ? { quotes: true } : { tickers: true }); onQuote() {} onTicker() {}";
  const run = await planned(recorded('quote', 'ticker'), SPOT, members);
  expect(run.prices).toEqual(['quote']);
  expect(run.plan.strategies[0]!.needs).toEqual({ quotes: true });
});

test.each(['paper', 'live'] as const)('%s takes the first needs that the exchange has, and asks for its own by the mode', async (mode) => {
  const list = await plannedStrategies(loadConfig(await written([], SPOT, LIST)), mode);
  expect(list.needs.map(choiceText)).toEqual(['strategy "s" gets bars and tickers: choice 2 of 2 of its needs']);
  const members = 'static needs = (_, mode) => ({ [mode === "backtest" ? "quotes" : "tickers"]: true }); onQuote() {} onTicker() {}';
  const byMode = await plannedStrategies(loadConfig(await written([], SPOT, members)), mode);
  expect(byMode.needs[0]!.kinds).toEqual(['ticker']);
});

test('a strategy receives what was chosen, and not what others need', async () => {
  const members = `static needs = [{ quotes: true }, { tickers: true }];
    seen = [];
    onQuote() { this.seen.push('quote'); }
    onTicker() { throw new Error('not chosen'); }
    onStop() { this.log.info(this.seen.length + ' quotes'); }`;
  const lines: string[] = [];
  const { plan } = await planned(recorded('quote', 'ticker'), { ...SPOT, backtest: { ...FULL, use: ['quote', 'ticker'] } }, members);
  const run = await simulateRun({ ...plan, log: { ...plan.log, info: (line: string) => lines.push(line) } });
  expect(run.failure).toBeUndefined();
  expect(lines).toEqual(['24 quotes']);
});

test.each([
  ['static needs = []', /needs is \[\]; expected an object such as \{ quotes: true \}, or a list of these/],
  ['static needs = () => "quotes"', /needs\(params, "backtest"\) returned "quotes"; expected an object/],
])('%s is refused', async (members, message) => {
  await expect(planned(recorded('quote'), SPOT, members)).rejects.toThrow(message);
});

const needing = (...kinds: PriceEventKind[]): FeedNeeds => ({ id: 's', symbols: [], kinds, futuresKinds: [], intervals: [], history: 0 });

test.each<[string, PriceEventKind[], PriceEventKind[], PriceEventKind[], 'touch' | { queue: 'power'; exponent: number }, string[]]>([
  [
    'trades where depth and quotes are recorded',
    ['trade'],
    ['depth', 'quote', 'bar'],
    [],
    'touch',
    [
      'the run uses trades; depth and quotes are recorded too, and fills would be closer to the market with them (backtest.use: [depth, trade])',
    ],
  ],
  ['trades that the strategy needs', ['trade'], ['depth'], ['trade'], 'touch', []],
  [
    'a queue of such trades',
    ['trade'],
    ['depth'],
    ['trade'],
    { queue: 'power', exponent: 3 },
    ['the run uses trades; depth is recorded too, and queues would be closer to the market with it (backtest.use: [depth, trade])'],
  ],
  ['recorded bars', ['bar'], ['trade'], ['bar'], 'touch', []],
  ['the richest', ['depth', 'trade'], ['quote'], [], 'touch', []],
])('a warning about poorer prices: %s', (_, kinds, unused, needs, limit, warnings) => {
  expect(poorerPrices({ kinds, unused }, [needing(...needs)], limit)).toEqual(warnings);
});

test.each([
  ['all but an hour of', 199, ['quotes']],
  ['three days less than', 128, []],
] as const)('quotes for %s the run are a reason for this warning only if they cover it', async (_, count, richer) => {
  const series = (kind: 'trade' | 'quote', rows: number) => ({ symbol: 'BTC-USDT', kind, times: hours(9).slice(0, rows) });
  const { warnings } = await planned([series('trade', 200), series('quote', count)], { ...SPOT, backtest: FULL }, 'onStart() {}');
  const found = warnings.filter((text) => text.includes('closer to the market'));
  expect(found.map((text) => /; (.*) are recorded too/.exec(text)?.[1])).toEqual(richer);
});
