import type { Weight } from '../../exchange/client/weight-budget.ts';
import { OPERATION_TABLE, type OperationName } from '../../exchange/operations/operation-table.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { BotPlan } from './run-plans.ts';

/** Room for the looks that the grid adds, and so that reading as planned is no full reserve, which would make it read less often. */
const ROOM = 1.5;
/** Prices and account are left at most this share of the weight each, however often they are to be read. */
const MOST = 0.35;

/**
 * The weight that a bot keeps free in a window for reading prices and account as often as its plan says, whatever its orders need.
 */
export function readingReserve(
  { instruments, poll: { tickerMs, accountMs } }: Pick<BotPlan, 'instruments' | 'poll'>,
  { ipWeight, uidWeight, windowMs }: { readonly ipWeight: number; readonly uidWeight: number; readonly windowMs: number },
): { readonly market: Weight; readonly account: Weight } {
  const { prices, account } = readingWeights(instruments);
  const within = (need: Weight, periodMs: number): Weight => ({
    ip: Math.min((need.ip * windowMs * ROOM) / periodMs, ipWeight * MOST),
    uid: Math.min((need.uid * windowMs * ROOM) / periodMs, uidWeight * MOST),
  });
  return { market: within(prices, tickerMs), account: within(account, accountMs) };
}

/** What one look at all prices, and one at the account, costs. */
function readingWeights(instruments: readonly Instrument[]): { readonly prices: Weight; readonly account: Weight } {
  const spot = instruments.filter(({ kind }) => kind === 'spot').length;
  const contracts = instruments.length - spot;
  const { ticker, tickers } = OPERATION_TABLE;
  const prices = Math.min(spot * ticker.weight.ip, tickers.weight.ip) + contracts * OPERATION_TABLE.futuresTicker.weight.ip;
  const reads: readonly (readonly [OperationName, number])[] = [
    ['fills', spot],
    ['accountAssets', spot > 0 ? 1 : 0],
    ['futuresAccount', contracts > 0 ? 2 : 0],
    ['futuresOrders', contracts],
  ];
  const sum = (of: keyof Weight) => reads.reduce((all, [name, times]) => all + OPERATION_TABLE[name].weight[of] * times, 0);
  return { prices: { ip: prices, uid: 0 }, account: { ip: sum('ip'), uid: sum('uid') } };
}
