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
    'backtest.use: bars feed matching alone; beside quotes, trades or tickers they are built from these',
  ],
  [
    "what the exchange's profile has not",
    [needing('quote')],
    undefined,
    EXCHANGE,
    'VENUE_CANNOT',
    "the exchange's profile has no quotes (it has bar and tickers): use those, or say `profile: full`",
  ],
  [
    'that, asked for by the config',
    [needing('bar')],
    ['trade'],
    EXCHANGE,
    'VENUE_CANNOT',
    "the exchange's profile has no trades (it has bar and tickers): use those, or say `profile: full`",
  ],
  [
    'a feed that a strategy cannot live on',
    [needing('quote')],
    ['bar'],
    MARKET_EVENT_KINDS,
    'CONFIG_INVALID',
    'strategy "s" needs quotes, but the run is fed by bars (backtest.use)',
  ],
  [
    'bars from quotes',
    [needing('bar')],
    ['quote'],
    MARKET_EVENT_KINDS,
    'CONFIG_INVALID',
    'strategy "s" needs bars, but the run is fed by quotes (backtest.use)',
  ],
  [
    'tickers from trades',
    [needing('ticker')],
    ['trade'],
    MARKET_EVENT_KINDS,
    'CONFIG_INVALID',
    'strategy "s" needs tickers, but the run is fed by trades (backtest.use)',
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
  });
});

test.each([
  [{ bars: '1minute' }, {}, 'strategy "s": needs.bars are intervals like 1m, 15m, 1h, 1d or 1w, not "1minute"'],
  [{}, { onBar: hook }, 'strategy "s" has onBar but does not say which: add `static needs = { bars: \'1m\' }`'],
])('needs %j with hooks %j are refused', (needs, hooks, message) => {
  expect(() => feedNeeds('s', [], needs, hooks)).toThrow(message);
});

test('bars that must be built come from what the profile has, though richer data is recorded', () => {
  const needs = [feedNeeds('s', ['BTC-USDT'], { bars: '1m' }, {})];
  const recorded = (kind: PriceEventKind) => kind !== 'bar';
  expect(kindsInUse(needs, undefined, recorded, ['bar', 'ticker'])).toEqual(['ticker']);
  expect(kindsInUse(needs, undefined, recorded, MARKET_EVENT_KINDS)).toEqual(['trade']);
});
