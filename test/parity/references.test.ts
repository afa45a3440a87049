import { expect, test } from '@jest/globals';
import { readKnown } from '../../src/app/live/bot/journal-history.ts';
import { pollSettings } from '../../src/app/planning/plan-backtest.ts';
import type { BacktestPlan, BotPlan } from '../../src/app/planning/run-plans.ts';
import { withJournal } from '../../src/journal/journal-reader.ts';
import type { RunningExchange } from '../../src/local-exchange/start-exchange.ts';
import { Decimal } from '../../src/model/decimal.ts';
import type { Instrument } from '../../src/model/instrument.ts';
import type { Bar, Mark, Ticker } from '../../src/model/market-events.ts';
import { place } from '../../src/strategy/intents.ts';
import { type Intents, Strategy } from '../../src/strategy/strategy.ts';
import { at, instrument, perpetual, plan, type Row, series } from '../builders.ts';
import { runBacktest } from './backtest-run.ts';
import { runPaper } from './paper-run.ts';
import { POLL_MS, SPOT } from './random-recording.ts';
import { firstDifference } from './trace.ts';

const SECONDS = 40;
const TEN = new Decimal(10);
const SETTINGS = { mode: 'shared', separated: false, longLeverage: TEN, shortLeverage: TEN, autoAppend: false } as const;
/** What the exchange knows of each contract, whether the account trades it or not. */
const listed = (instruments: readonly Instrument[]) =>
  instruments.map((one) => (one.kind === 'futures' ? perpetual({ symbol: one.symbol, ...SPOT, contract: CONTRACT }, one.index) : one));
const CONTRACT = { value: '0.0001', tiers: [{ maintenance: '0.005' }], liquidationFee: '0.001' };

/** Buys 1 while the reference is above what it trades, and else sells it; asks to buy the reference as well. */
class Basis extends Strategy {
  static override readonly needs = { bars: '10s', tickers: true, marks: true };
  #marks = 0;
  #bars = 0;

  override onMark(_mark: Mark): void {
    this.#marks++;
  }

  override onBar({ symbol }: Bar): void {
    if (symbol === this.references[0]) this.#bars++;
  }

  override onTicker({ symbol }: Ticker): Intents {
    const [traded] = this.symbols as [string];
    const [reference] = this.references as [string];
    if (symbol !== reference) return undefined;
    const { quantity } = this.position(traded);
    const isAbove = this.market(reference).last! > this.market(traded).last!;
    const order = { type: 'market', quantity: 1, tag: `${this.#marks} marks ${this.#bars} bars` } as const;
    if (isAbove && quantity === 0)
      return [place({ symbol: traded, side: 'buy', ...order }), place({ symbol: reference, side: 'buy', ...order })];
    return !isAbove && quantity > 0 ? place({ symbol: traded, side: 'sell', ...order, reduceOnly: true }) : undefined;
  }
}

// The traded price rises by 0.1 a second. The reference swings around it, with a period of 12 s, a mark every third second.
const traded = Array.from({ length: SECONDS }, (_, second): Row => [second, 100_00 + second * 10]);
const swinging = Array.from({ length: SECONDS }, (_, second): Row => [second, 100_00 + second * 10 + (second % 12 < 6 ? 50 : -50)]);
const marks = Array.from({ length: SECONDS / 4 }, (_, index): Row => [index * 3, 100_00 + index]);

function basis(kind: 'spot' | 'futures', instruments: readonly [Instrument, Instrument]): BacktestPlan {
  const [own, reference] = instruments;
  // Without recorded marks, the exchange shows the last price as the mark.
  const perpetuals = instruments.filter((one) => one.kind === 'futures');
  return plan({
    kind,
    instruments,
    sources: [
      { instrument: own, kind: 'ticker', open: () => series('ticker', traded) },
      { instrument: reference, kind: 'ticker', open: () => series('ticker', swinging) },
      ...perpetuals.map((one) => ({ instrument: one, kind: 'mark', open: () => series('mark', marks, { priceDecimals: 2 }) }) as const),
    ],
    balances: { USDT: '10000' },
    profile: 'exchange',
    polled: pollSettings(POLL_MS),
    strategies: [
      { id: 'basis', symbols: [own.symbol], references: [reference.symbol], params: {}, create: (context) => new Basis(context) },
    ],
    bars: { from: 'ticker', intervals: [[10_000], [10_000]], graceMs: 2_000 },
  });
}

/** The owner goes long 2 in a perpetual that is the bot's reference, when its price falls to 100.1. */
function goLong({ exchange }: RunningExchange, symbol: string, time: number): void {
  const order = { clientOid: 'hand', triggerPrice: '100.3', size: '2', type: '1', price: undefined } as const;
  exchange.perform('placeTrigger', { uid: exchange.accounts.all[0]!.uid, symbol, order }, time);
}

const spot = (more: object, index: number) => instrument({ symbol: 'BTC-USDT', ...SPOT, ...more }, index);
const REFERENCE = { reference: true };

test.each<[string, 'spot' | 'futures', () => readonly [Instrument, Instrument]]>([
  ['a spot account a perpetual', 'spot', () => [spot({}, 0), instrument({ symbol: 'BTC-USDT-PERP', ...SPOT, ...REFERENCE }, 1)]],
  ['a futures account a spot pair', 'futures', () => [perpetual({ ...SPOT, contract: CONTRACT }, 0), spot(REFERENCE, 1)]],
  [
    'a futures account another perpetual',
    'futures',
    () => [
      perpetual({ ...SPOT, contract: CONTRACT }, 0),
      perpetual({ symbol: 'ETH-USDT-PERP', ...SPOT, contract: CONTRACT, ...REFERENCE }, 1),
    ],
  ],
])('a reference gives %s the same over HTTP as in process, and after a restart', async (_, kind, instruments) => {
  const made = () => basis(kind, instruments());
  const backtest = await runBacktest(made());
  // The owner's own coins, and a position in the reference, are not the bot's: neither run has them.
  const balances =
    kind === 'spot' ? { spot: { USDT: '10000' }, futures: { USDT: '77' } } : { futures: { USDT: '10000' }, spot: { BTC: '3' } };
  const { instruments: ours } = made();
  const change = { instruments: listed(ours), margin: () => SETTINGS, accounts: [{ name: 'bot', balances }] };
  const [own, reference] = ours as [Instrument, Instrument];
  let exchange: RunningExchange | undefined;
  const byHand = (there: RunningExchange) => {
    exchange = there;
    if (reference.symbol === 'ETH-USDT-PERP') goLong(there, reference.symbol, at(5.5));
  };
  const { trace: paper, journal } = await runPaper(made(), { change, byHand: { time: at(5.5), act: byHand } });
  expect(firstDifference(backtest, paper)).toBeUndefined();
  expect(paper.fills.length).toBeGreaterThanOrEqual(5);
  expect(paper.fills.every((line) => line.includes(` ${own.symbol} `))).toBe(true);
  expect(paper.intents.at(-1)).toMatch(/[1-9]\d* marks [1-9] bars/);
  // Each purchase asked for the reference too.
  const purchases = paper.fills.filter((line) => line.includes(' buy ')).length;
  const denied = `{"code":"referenceOnly","symbol":"${reference.symbol}","strategy":"basis"}`;
  expect(paper.denials.filter((line) => line.endsWith(denied))).toHaveLength(purchases);
  if (reference.symbol === 'ETH-USDT-PERP') {
    const { accounts, instruments: theirs } = exchange!.exchange;
    expect(accounts.all[0]!.futures.heldSteps(theirs[1]!, 'long')).toBe(20_000);
  }
  const known = withJournal(journal, ours, (open) => readKnown(made() as unknown as BotPlan, open));
  expect([...known.state.health.values()].filter(({ condition }) => condition === 'halted')).toEqual([]);
  expect(known.state.market(reference).lastTicks).toBe(swinging.at(-1)![1]);
});
