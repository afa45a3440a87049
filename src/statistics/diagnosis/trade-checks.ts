import { Decimal, ZERO } from '../../model/decimal.ts';
import type { RunRecord } from '../run-record.ts';
import { isWin, leastOf, netProfitOf, type Trades, tradesWhere, winRate } from '../trades/trade.ts';
import { tradesOf } from '../trades/trade-builder.ts';
import { type BreakdownGroup, tradeFoldOf } from '../trades/trade-fold.ts';
import { type Check, type CheckResult, gainOf, moment, money, percent, tradedBy, worstOfStrategies } from './check.ts';

/** Above this win rate, losses are probably postponed rather than avoided. */
const HIGH_WIN_RATE = 0.9;
/** One such loss costs as much as this many wins. */
const LOSS_MULTIPLE = 5;
const ENOUGH_FOR_RATES = 20;
/** With fewer, a win rate of a half is uncertain by more than 9 points (one standard error). */
const FEWEST_TRADES = 30;
/** Ten observations for each number that is fitted: the usual rule of regression. */
const TRADES_A_PARAMETER = 10;
/** The place in a list in the name of a parameter: `levels.3.price`. */
const LIST_INDEX = /\.\d+(?=\.|$)/g;
/** Fewer fills than this, or more than a trade for so many, are no grid. */
const MANY_FILLS = 20;
const FILLS_A_TRADE = 10;
const OPEN_SHARE = 0.5;
/** A stop that was not reached in ten trades is untested. */
const IDLE_STOPS = 10;

/** Runs whose result is no result: everything was lost, or nothing was traded. */
export const OUTCOME_CHECKS = [
  {
    id: 'ruined',
    title: 'The run lost everything',
    reportedIf: 'equity was zero or less at some moment',
    why: 'A venue would have closed the account there. Everything after it, and each ratio over its equity, has no meaning.',
    advice: 'Trade smaller: set `risk.account.maxDrawdown`, `maxLeverage` or `maxExposure`, and a stop for each position.',
    evaluate: ({ record: { ruin, finalEquity, currency } }) => {
      if (ruin === undefined) return undefined;
      const { time, symbol, price } = ruin;
      const figures = { time: moment(time), symbol, price: new Decimal(price).toFixed(), final: money(finalEquity, currency) };
      return { severity: 'critical', figures };
    },
  },
  {
    id: 'neverTraded',
    title: 'The run never traded',
    reportedIf: 'no order was filled',
    why: 'A result without fills says nothing about the strategy.',
    advice:
      'Look at the intents, orders and refusals below; `denied.csv` has the reason of each refusal. Without intents, no rule of the strategy applied: check its symbols, intervals and warm-up.',
    evaluate: ({ record: { fills }, context: { intents, orders, denied, rejected } }) => {
      for (const _ of fills) return undefined;
      const figures = { intents: String(intents), orders: String(orders), denied: String(denied), rejected: String(rejected) };
      return { severity: 'critical', figures };
    },
  },
] as const satisfies readonly Check[];

/** The checks of the list of trades. */
export const TRADE_CHECKS = [
  {
    id: 'fewTradesOfManyFills',
    title: 'Many fills are few trades',
    reportedIf: `trades are counted from flat to flat, and at least ${MANY_FILLS} fills make fewer than a tenth as many closed trades; shown with the trades by \`fifo\``,
    why: 'A strategy that is seldom flat, such as a grid, has few trades from flat to flat, and win rate, expectancy and holding times say little about it.',
    advice:
      'Set `report.trades` to `fifo`, `lifo` or `tag`: then each part of an entry that an exit closes is a trade, in every statistic and table.',
    evaluate: ({ record, trades }) => {
      const { fills, tradeRule = 'flat', currency } = record;
      if (tradeRule !== 'flat' || fills.length < MANY_FILLS || trades.closed.length * FILLS_A_TRADE >= fills.length) return undefined;
      const { closed } = tradesOf({ ...record, tradeRule: 'fifo' });
      if (closed.length === 0) return undefined;
      const figures = {
        fills: String(fills.length),
        flatTrades: String(trades.closed.length),
        fifoTrades: String(closed.length),
        fifoWinRate: percent(winRate(closed)!),
        fifoNetProfit: money(netProfitOf(closed), currency),
      };
      return { severity: 'info', figures };
    },
  },
  {
    id: 'rareLosses',
    title: 'Many small wins, rare large losses',
    reportedIf: `more than ${percent(HIGH_WIN_RATE)} of at least ${ENOUGH_FOR_RATES} closed trades of a strategy won. The worst loss of a trade, open or closed, is ${LOSS_MULTIPLE} average wins or more; critical if it is more than the net profit`,
    why: 'A strategy that holds losing trades until they recover has a high win rate and hidden risk.',
    advice: 'Look at the worst excursions; test a stop, and a period with a move against the positions.',
    evaluate: ({ record, trades }) =>
      worstOfStrategies(tradedBy(record), (strategyId) => {
        const { trades: count = 0, wins = 0 } = closedBy(trades.closed, record, strategyId) ?? {};
        if (count < ENOUGH_FOR_RATES || wins / count <= HIGH_WIN_RATE) return undefined;
        return rareLosses(ofStrategy(trades, strategyId), record);
      }),
  },
  {
    id: 'fewTrades',
    title: 'Too few trades for the parameters',
    reportedIf: `a strategy closed fewer than ${FEWEST_TRADES} trades, or fewer than ${TRADES_A_PARAMETER} for each number among its parameters; a list of numbers counts once`,
    why: 'With so few trades, many parameter values look good by chance.',
    advice: 'Run it longer, on more symbols or on shorter bars; fix parameters that matter little.',
    evaluate: ({ record, trades: { closed }, context: { strategies } }) => {
      const traded = new Set(tradedBy(record));
      const judged = strategies
        .filter(({ id }) => traded.has(id))
        .map(({ id, parameters }) => {
          const numbers = new Set(parameters.map(({ name }) => name.replace(LIST_INDEX, ''))).size;
          const trades = closedBy(closed, record, id)?.trades ?? 0;
          return { id, parameters: numbers, trades, needed: Math.max(FEWEST_TRADES, TRADES_A_PARAMETER * numbers) };
        })
        .filter(({ trades, needed }) => trades < needed)
        .sort((a, b) => a.trades / a.needed - b.trades / b.needed);
      const [worst] = judged;
      if (worst === undefined) return undefined;
      const { id, parameters, trades, needed } = worst;
      return {
        severity: 'warning',
        figures: { strategy: id, trades: String(trades), parameters: String(parameters), needed: String(needed) },
      };
    },
  },
  {
    id: 'openTradeProfit',
    title: 'Open trades make the profit',
    reportedIf: `${percent(OPEN_SHARE)} of a gain or more is of trades still open at the end (counted up to the best open result of these trades, because coins held from the start also gain)`,
    why: 'The result of their exits is unknown: they are valued at the last price of the data.',
    advice: 'Run with `backtest.atEnd: close`, and with an end some days earlier and later.',
    evaluate: ({ record, trades: { closed, open } }) => {
      const gain = gainOf(record);
      if (open.length === 0 || gain.lte(0)) return undefined;
      const realised = tradeFoldOf(closed, record.dayZone).groups.all.netProfit;
      // The account's starting coins also gain, without a trade. Open trades made no more than their best result.
      const most = open.reduce((sum, { mfe }) => sum.plus(mfe), ZERO);
      const share = Decimal.min(gain.minus(realised), most).div(gain).toNumber();
      if (share < OPEN_SHARE) return undefined;
      const { currency } = record;
      const figures = { gain: money(gain, currency), closed: money(realised, currency), open: percent(share) };
      return { severity: 'warning', figures: { ...figures, openTrades: String(open.length) } };
    },
  },
  {
    id: 'idleStop',
    title: 'A stop that never fires',
    reportedIf: `a strategy closed at least ${IDLE_STOPS} trades and placed as many protective stops, trailing ones included, and none of them ever closed a position`,
    why: 'The run does not show the cost of the stop when it fires, gaps and slippage included.',
    advice: 'Check that its price is the intended one; test a period with a move that reaches it.',
    evaluate: ({ record, trades: { closed }, context: { strategies } }) => {
      const judged = strategies.filter(
        ({ id, stopsAsked }) => Math.min(stopsAsked, closedBy(closed, record, id)?.trades ?? 0) >= IDLE_STOPS,
      );
      const fired = judged.length === 0 ? new Set<string>() : stoppedOut(record);
      for (const { id, stopsAsked } of judged) {
        if (fired.has(id)) continue;
        const own = tradesWhere(closed, ({ strategyId }) => strategyId === id);
        let worst = Number.POSITIVE_INFINITY;
        for (const { maeShare } of own) worst = Math.min(worst, maeShare);
        return { severity: 'warning', figures: { strategy: id, stops: String(stopsAsked), worstExcursion: percent(worst) } };
      }
      return undefined;
    },
  },
] as const satisfies readonly Check[];

function ofStrategy({ closed, open }: Trades, strategyId: string): Trades {
  const isOwn = (trade: { readonly strategyId: string }) => trade.strategyId === strategyId;
  return { closed: tradesWhere(closed, isOwn), open: open.filter(isOwn) };
}

/** The closed trades of one strategy, added up; undefined without one. */
function closedBy(closed: Trades['closed'], { dayZone }: RunRecord, strategyId: string): BreakdownGroup | undefined {
  return tradeFoldOf(closed, dayZone).by('strategy').get(strategyId);
}

function rareLosses({ closed, open }: Trades, { currency }: RunRecord): CheckResult | undefined {
  const wins = tradesWhere(closed, isWin);
  const average = netProfitOf(wins).div(wins.length);
  const figures = [leastOf(closed, ({ netProfit }) => netProfit), leastOf(closed, ({ mae }) => mae), ...open.map(({ mae }) => mae)];
  const worst = Decimal.min(...figures).neg();
  if (worst.lt(average.times(LOSS_MULTIPLE))) return undefined;
  return {
    severity: worst.gt(netProfitOf(closed)) ? 'critical' : 'warning',
    figures: { winRate: percent(wins.length / closed.length), averageWin: money(average, currency), worst: money(worst, currency) },
  };
}

/** The strategies with a position that a stop (trailing or not) closed, fully or in part. A stop that opens a position protects nothing. */
function stoppedOut({ fills }: RunRecord): ReadonlySet<string> {
  const held = new Map<string, number>();
  const fired = new Set<string>();
  for (const fill of fills) {
    const key = `${fill.strategyId}/${fill.symbol}/${fill.positionSide}`;
    const before = held.get(key) ?? 0;
    held.set(key, before + (fill.side === 'buy' ? fill.steps : -fill.steps));
    const { reason } = fill;
    const closes = before !== 0 && before > 0 === (fill.side === 'sell');
    if (closes && (reason === 'stop' || reason === 'trailing')) fired.add(fill.strategyId);
  }
  return fired;
}
