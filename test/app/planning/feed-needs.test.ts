import { expect, test } from '@jest/globals';
import { kindsInUse } from '../../../src/app/planning/planned-feeds.ts';
import { type FeedNeeds, feedNeeds } from '../../../src/app/planning/planned-strategies.ts';
import { MARKET_EVENT_KINDS, type MarketEventKind, type PriceEventKind } from '../../../src/model/market-events.ts';

const needing = (...kinds: PriceEventKind[]): FeedNeeds => ({
  id: 's',
  symbols: ['BTC-USDT'],
  kinds,
  futuresKinds: [],
  intervals: kinds.includes('bar') ? [60_000] : [],
  history: 0,
});
const EXCHANGE = ['bar', 'ticker', 'mark', 'funding'] as const;
const has =
  (...kinds: PriceEventKind[]) =>
  (kind: PriceEventKind) =>
    kinds.includes(kind);

test.each<[string, FeedNeeds[], PriceEventKind[] | undefined, PriceEventKind[], PriceEventKind[]]>([
  ['bars feed strategies that need only bars', [needing('bar')], undefined, ['bar', 'ticker', 'trade'], ['bar']],
  ['trades where no bars are recorded', [needing('bar')], undefined, ['ticker', 'trade'], ['trade']],
  ['else tickers', [needing('bar')], undefined, ['ticker'], ['ticker']],
  ['quotes for those that have onQuote', [needing('quote')], undefined, ['bar', 'quote'], ['quote']],
  ['trades join quotes where bars are needed too', [needing('quote', 'bar')], undefined, ['bar', 'quote', 'trade'], ['quote', 'trade']],
  ['else tickers join them', [needing('quote'), needing('bar')], undefined, ['quote', 'ticker'], ['quote', 'ticker']],
  ['bars are built from tickers that are needed', [needing('ticker', 'bar')], undefined, ['bar', 'ticker'], ['ticker']],
  ['what the config says', [needing('bar')], ['ticker'], ['bar', 'ticker'], ['ticker']],
  ['a strategy that needs nothing is fed bars', [needing()], undefined, ['bar'], ['bar']],
])('%s', (_, needs, wanted, recorded, kinds) => {
  expect(kindsInUse(needs, wanted, has(...recorded), MARKET_EVENT_KINDS)).toEqual(kinds);
});

test.each<[string, FeedNeeds[], PriceEventKind[] | undefined, readonly MarketEventKind[], string, string]>([
  [
    'bars beside others',
    [needing('bar')],
    ['bar', 'trade'],
    MARKET_EVENT_KINDS,
    'CONFIG_INVALID',
    'backtest.use: remove `bar`: with quotes, trades or tickers, bars are built from those',
  ],
  [
    "what the exchange's profile has not",
    [needing('quote')],
    undefined,
    EXCHANGE,
    'VENUE_CANNOT',
    "the exchange's profile has no quotes, only bars and tickers: use those, or set backtest.profile to full",
  ],
  [
    'that, asked for by the config',
    [needing('bar')],
    ['trade'],
    EXCHANGE,
    'VENUE_CANNOT',
    "the exchange's profile has no trades, only bars and tickers: use those, or set backtest.profile to full",
  ],
  [
    'a feed that a strategy cannot live on',
    [needing('quote')],
    ['bar'],
    MARKET_EVENT_KINDS,
    'CONFIG_INVALID',
    'strategy "s" needs quotes, but the run uses bars (backtest.use)',
  ],
  [
    'bars from quotes',
    [needing('bar')],
    ['quote'],
    MARKET_EVENT_KINDS,
    'CONFIG_INVALID',
    'strategy "s" needs bars, but the run uses quotes (backtest.use)',
  ],
  [
    'tickers from trades',
    [needing('ticker')],
    ['trade'],
    MARKET_EVENT_KINDS,
    'CONFIG_INVALID',
    'strategy "s" needs tickers, but the run uses trades (backtest.use)',
  ],
])('%s: refused', (_, needs, wanted, allowed, code, message) => {
  const attempt = () => kindsInUse(needs, wanted, () => true, allowed);
  expect(attempt).toThrow(message);
  expect(attempt).toThrow(expect.objectContaining({ code }));
});

const hook = () => undefined;
test.each([
  [{ bars: '1m' }, { onBar: hook }, ['bar'], [], [60_000]],
  [{ bars: ['1m', '1h'] }, {}, ['bar'], [], [60_000, 3_600_000]],
  [{ bars: ['1M', '1w'] }, {}, ['bar'], [], ['1M', 604_800_000]],
  [{ bars: ['1d', '1w', '3M'], weekStart: 'monday' }, {}, ['bar'], [], [86_400_000, '1w from Monday', '3M']],
  [undefined, { onTicker: hook, onTrade: hook, onQuote: hook }, ['quote', 'trade', 'ticker'], [], []],
  [{ quotes: true, trades: true, tickers: true }, {}, ['quote', 'trade', 'ticker'], [], []],
  [undefined, { onMark: hook, onFunding: hook }, [], ['mark', 'funding'], []],
  [{ marks: true, funding: true }, {}, [], ['mark', 'funding'], []],
  [undefined, {}, [], [], []],
])('needs %j and hooks %j are fed %j and %j', (needs, hooks, kinds, futuresKinds, intervals) => {
  expect(feedNeeds('s', ['BTC-USDT'], needs, hooks)).toEqual({
    id: 's',
    symbols: ['BTC-USDT'],
    kinds,
    futuresKinds,
    intervals,
    history: 0,
    signals: undefined,
    hasSignalHook: false,
  });
});

test.each([
  [undefined, { onSignal: hook }, undefined, true],
  [{ signals: 'preds' }, {}, ['preds'], false],
  [{ signals: ['preds', 'news'] }, { onSignal: hook }, ['preds', 'news'], true],
])('needs %j and hooks %j receive the signals %j', (needs, hooks, signals, hasSignalHook) => {
  expect(feedNeeds('s', [], needs, hooks)).toMatchObject({ signals, hasSignalHook });
});

test.each([
  [{ bars: '1minute' }, {}, 'strategy "s": needs.bars: expected intervals such as 1m, 1h, 1d, 1w or 1M, not "1minute"'],
  [{ bars: ['1d', '1q'] }, {}, 'expected intervals such as 1m, 1h, 1d, 1w or 1M, not ["1d","1q"]; a quarter is 3M, a year 12M'],
  [{ bars: '1y' }, {}, 'not "1y"; a quarter is 3M, a year 12M'],
  [{ bars: '0M' }, {}, 'not "0M"'],
  [{ bars: '1w', weekStart: 'sunday' }, {}, 'strategy "s": needs.weekStart: expected monday or thursday, not "sunday"'],
  [{}, { onBar: hook }, 'strategy "s" has onBar, but no interval: add `static needs = { bars: \'1m\' }`'],
])('needs %j with hooks %j are refused', (needs, hooks, message) => {
  expect(() => feedNeeds('s', [], needs, hooks)).toThrow(message);
});

test('bars are built from data that the profile has, even if richer data is recorded', () => {
  const needs = [feedNeeds('s', ['BTC-USDT'], { bars: '1m' }, {})];
  const recorded = (kind: PriceEventKind) => kind !== 'bar';
  expect(kindsInUse(needs, undefined, recorded, ['bar', 'ticker'])).toEqual(['ticker']);
  expect(kindsInUse(needs, undefined, recorded, MARKET_EVENT_KINDS)).toEqual(['trade']);
});
