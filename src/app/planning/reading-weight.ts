import type { Weight } from '../../exchange/client/weight-budget.ts';
import { OPERATION_TABLE, type OperationName } from '../../exchange/operations/operation-table.ts';
import { type Instrument, tradableOf } from '../../model/instrument.ts';
import type { BotPlan } from './run-plans.ts';

/** A margin for the extra polls of the account's grid. It keeps planned polling below the reserve: a full reserve slows polling down. */
const ROOM = 1.5;
/** The largest share of the weight that is reserved for prices, and the same for the account. */
const MOST = 0.35;

/**
 * The weight that a bot reserves in each window, so that it can poll prices and account as often as planned while it sends orders.
 */
export function readingReserve(
  { instruments, poll: { tickerMs, accountMs } }: Pick<BotPlan, 'instruments' | 'poll'>,
  { ipWeight, uidWeight, windowMs }: { readonly ipWeight: number; readonly uidWeight: number; readonly windowMs: number },
): { readonly market: Weight; readonly account: Weight } {
  const { prices, funding, account } = readingWeights(instruments);
  const within = (need: Weight, periodMs: number): Weight => ({
    ip: Math.min((need.ip * windowMs * ROOM) / periodMs, ipWeight * MOST),
    uid: Math.min((need.uid * windowMs * ROOM) / periodMs, uidWeight * MOST),
  });
  // Once a minute, within one window.
  const market = { ip: prices.ip + (funding * tickerMs) / windowMs, uid: prices.uid };
  return { market: within(market, tickerMs), account: within(account, accountMs) };
}

/** The weight of one poll of all prices, of one read of all funding payments, and of one poll of the account. */
function readingWeights(instruments: readonly Instrument[]): {
  readonly prices: Weight;
  readonly funding: number;
  readonly account: Weight;
} {
  const { ticker, tickers } = OPERATION_TABLE;
  const polled = counted(instruments);
  const prices = Math.min(polled.spot * ticker.weight.ip, tickers.weight.ip) + polled.contracts * OPERATION_TABLE.futuresTicker.weight.ip;
  const { spot, contracts } = counted(tradableOf(instruments));
  const reads: readonly (readonly [OperationName, number])[] = [
    ['fills', spot],
    ['accountAssets', spot > 0 ? 1 : 0],
    ['futuresAccount', contracts > 0 ? 2 : 0],
    ['futuresOrders', contracts],
  ];
  const sum = (of: keyof Weight) => reads.reduce((all, [name, times]) => all + OPERATION_TABLE[name].weight[of] * times, 0);
  const funding = polled.contracts * OPERATION_TABLE.fundingHistory.weight.ip;
  return { prices: { ip: prices, uid: 0 }, funding, account: { ip: sum('ip'), uid: sum('uid') } };
}

function counted(instruments: readonly Instrument[]): { readonly spot: number; readonly contracts: number } {
  const spot = instruments.filter(({ kind }) => kind === 'spot').length;
  return { spot, contracts: instruments.length - spot };
}
