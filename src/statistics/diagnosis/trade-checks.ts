import { Decimal, ZERO } from '../../model/decimal.ts';
import type { RunRecord } from '../run-record.ts';
import { netProfitOf, type Trades, winRate } from '../trades/trade.ts';
import { type Answer, type Check, gainOf, money, percent, tradedBy, worstOfStrategies } from './check.ts';

/** From here on so many wins say that losses are put off rather than avoided. */
const HIGH_WIN_RATE = 0.9;
/** One such loss takes back this many wins. */
const LOSS_MULTIPLE = 5;
const ENOUGH_FOR_RATES = 20;
/** With fewer, a win rate of a half is uncertain by more than 9 points (one standard error). */
const FEWEST_TRADES = 30;
/** Ten observations for each number that is fitted: the usual rule of regression. */
const TRADES_A_PARAMETER = 10;
const OPEN_SHARE = 0.5;
/** A stop that ten trades did not meet is no part of what was tested. */
const IDLE_STOPS = 10;

/** What the list of trades tells. */
export const TRADE_CHECKS = [
  {
    id: 'rareLosses',
    title: 'Many small wins, rare large losses',
    speaks: `of at least ${ENOUGH_FOR_RATES} closed trades of a strategy more than ${percent(HIGH_WIN_RATE)} won, and the worst that any trade lost or stood at is ${LOSS_MULTIPLE} average wins; critical where it is more than the net profit`,
    why: 'Losses that are waited out look like wins until one is not: the win rate says nothing of the risk.',
    advice: 'Judge by the worst excursions; test a stop, and a period with a move against the positions.',
    ask: ({ record, trades }) => worstOfStrategies(tradedBy(record), (strategyId) => rareLosses(ofStrategy(trades, strategyId), record)),
  },
  {
    id: 'fewTrades',
    title: 'Too few trades for the parameters',
    speaks: `a strategy that traded closed fewer trades than ${FEWEST_TRADES}, or than ${TRADES_A_PARAMETER} for each number among its parameters`,
    why: 'With so few, many choices of the parameters look good by chance alone.',
    advice: 'Run it longer, on more symbols or on shorter bars; fix parameters that matter little.',
    ask: ({ record: { fills }, trades: { closed }, context: { strategies } }) => {
      const traded = new Set(fills.map(({ strategyId }) => strategyId));
      const judged = strategies
        .filter(({ id }) => traded.has(id))
        .map(({ id, parameters }) => ({
          id,
          parameters: parameters.length,
          trades: closed.filter(({ strategyId }) => strategyId === id).length,
          needed: Math.max(FEWEST_TRADES, TRADES_A_PARAMETER * parameters.length),
        }))
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
    title: 'What is still open makes the profit',
    speaks: `of a gain, ${percent(OPEN_SHARE)} is of trades that were open at the end (at most the best that these ever stood at, as coins held from the start gain beside them)`,
    why: 'Nobody knows what their exits would have brought: the last price is where the data stopped.',
    advice: 'Run with `backtest.atEnd: close`, and with an end some days earlier and later.',
    ask: ({ record, trades: { closed, open } }) => {
      const gain = gainOf(record);
      if (open.length === 0 || gain.lte(0)) return undefined;
      const realised = netProfitOf(closed);
      // Coins that the account began with gain too, and no trade does: open trades made no more than they ever stood at.
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
    speaks: `a strategy closed at least ${IDLE_STOPS} trades and asked for as many protective stops, trailing ones included, and none of them ever closed anything`,
    why: 'The run says nothing of what the stop costs when it fires, gaps and slippage included.',
    advice: 'See that it stands where it was meant to; test a period with a move that reaches it.',
    ask: ({ record, trades: { closed }, context: { strategies } }) => {
      const fired = stoppedOut(record);
      for (const { id, stopsAsked } of strategies) {
        const own = closed.filter(({ strategyId }) => strategyId === id);
        if (fired.has(id) || Math.min(stopsAsked, own.length) < IDLE_STOPS) continue;
        const worst = Math.min(...own.map(({ maeShare }) => maeShare));
        return { severity: 'warning', figures: { strategy: id, stops: String(stopsAsked), worstExcursion: percent(worst) } };
      }
      return undefined;
    },
  },
] as const satisfies readonly Check[];

function ofStrategy({ closed, open }: Trades, strategyId: string): Trades {
  const isOwn = (trade: { readonly strategyId: string }) => trade.strategyId === strategyId;
  return { closed: closed.filter(isOwn), open: open.filter(isOwn) };
}

function rareLosses({ closed, open }: Trades, { currency }: RunRecord): Answer | undefined {
  const rate = winRate(closed) ?? 0;
  if (closed.length < ENOUGH_FOR_RATES || rate <= HIGH_WIN_RATE) return undefined;
  const wins = closed.filter(({ netProfit }) => netProfit.gt(0));
  const average = netProfitOf(wins).div(wins.length);
  const worst = [...closed.map(({ netProfit }) => netProfit), ...[...closed, ...open].map(({ mae }) => mae)]
    .reduce((least, value) => Decimal.min(least, value), ZERO)
    .neg();
  if (worst.lt(average.times(LOSS_MULTIPLE))) return undefined;
  return {
    severity: worst.gt(netProfitOf(closed)) ? 'critical' : 'warning',
    figures: { winRate: percent(rate), averageWin: money(average, currency), worst: money(worst, currency) },
  };
}

/** The strategies of which a stop, trailing or not, closed (a part of) a position. A stop that opens one protects nothing. */
function stoppedOut({ fills, notes }: RunRecord): ReadonlySet<string> {
  const held = new Map<string, number>();
  const fired = new Set<string>();
  for (const fill of fills) {
    const key = `${fill.strategyId}/${fill.symbol}/${fill.positionSide}`;
    const before = held.get(key) ?? 0;
    held.set(key, before + (fill.side === 'buy' ? fill.steps : -fill.steps));
    const reason = notes.get(fill)?.reason;
    const closes = before !== 0 && before > 0 === (fill.side === 'sell');
    if (closes && (reason === 'stop' || reason === 'trailing')) fired.add(fill.strategyId);
  }
  return fired;
}
