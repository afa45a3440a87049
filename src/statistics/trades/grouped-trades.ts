import { MadeRows, type Rows } from '../../model/columns.ts';
import { Decimal, exactSum, ratioOf } from '../../model/decimal.ts';
import type { OpenTrade, RoundTrip, Trades } from './trade.ts';

/** A leg of a group, with the place of a closed one in its list. */
interface GroupLeg {
  readonly entryTime: number;
  /** Infinite while it is open. */
  readonly exitTime: number;
  readonly closed?: { readonly trade: RoundTrip; readonly place: number };
  readonly open?: OpenTrade;
}

/**
 * Trades with one trade for each group: the legs of a strategy whose first entries have one `group`, from the first entry until all legs are
 * flat. A leg that begins later, under the same name, begins another trade. While a leg is open, the whole trade is.
 *
 * - Money, fees, funding and fills are the sums of the legs. MAE and MFE are those sums too, and thus bounds: the legs need not have had
 *   their extremes at one time.
 * - Strategy, side, tag and entry are those of the first leg, of legs that began together the first by symbol, exit tag and exit reason those of the last exit.
 * - Quantities and prices of several symbols have no common meaning: tables show the legs.
 */
export function groupTrades(legs: Pick<Trades, 'closed' | 'open'>): Trades {
  const alone: { readonly exitTime: number; readonly place: number; readonly trade: RoundTrip | undefined }[] = [];
  const groups = new Map<string, GroupLeg[]>();
  const add = (strategyId: string, group: string, leg: GroupLeg) => {
    const key = JSON.stringify([strategyId, group]);
    groups.set(key, [...(groups.get(key) ?? []), leg]);
  };
  let place = 0;
  for (const trade of legs.closed) {
    const { strategyId, group, entryTime, exitTime } = trade;
    if (group === undefined) alone.push({ exitTime, place, trade: undefined });
    else add(strategyId, group, { entryTime, exitTime, closed: { trade, place } });
    place++;
  }
  const open: OpenTrade[] = [];
  for (const trade of legs.open) {
    const { strategyId, group, entryTime } = trade;
    if (group === undefined) open.push(trade);
    else add(strategyId, group, { entryTime, exitTime: Number.POSITIVE_INFINITY, open: trade });
  }
  for (const own of groups.values()) {
    for (const episode of episodesOf(own)) {
      const last = episode.reduce((latest, leg) => (leg.exitTime >= latest.exitTime ? leg : latest));
      if (last.closed === undefined) open.push(openGroup(episode));
      else alone.push({ exitTime: last.exitTime, place: last.closed.place, trade: closedGroup(episode, last.closed.trade) });
    }
  }
  alone.sort((a, b) => a.place - b.place);
  return { closed: rowsOf(alone, legs.closed), open: open.sort((a, b) => a.entryTime - b.entryTime), legs };
}

function rowsOf(
  list: readonly { readonly place: number; readonly trade: RoundTrip | undefined }[],
  closed: Rows<RoundTrip>,
): Rows<RoundTrip> {
  return new MadeRows(list.length, (index) => list[index]!.trade ?? closed.at(list[index]!.place)!);
}

/** The legs of one name in runs whose times overlap. */
function episodesOf(legs: readonly GroupLeg[]): GroupLeg[][] {
  const episodes: GroupLeg[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const leg of [...legs].sort((a, b) => a.entryTime - b.entryTime || (symbolOf(a) < symbolOf(b) ? -1 : 1))) {
    if (leg.entryTime > end || episodes.length === 0) episodes.push([leg]);
    else episodes.at(-1)!.push(leg);
    end = Math.max(end, leg.exitTime);
  }
  return episodes;
}

const symbolOf = (leg: GroupLeg) => tradeOf(leg).symbol;
const tradeOf = ({ closed, open }: GroupLeg) => (closed?.trade ?? open)!;

/** The figures that open and closed trades have. */
function sumsOf(episode: readonly GroupLeg[]) {
  const trades = episode.map(tradeOf);
  const [first] = trades;
  const { strategyId, side, tag, group, entryTime, entryPrice, maxQuantity } = first!;
  const sum = (figure: 'entryValue' | 'volume' | 'fees' | 'funding' | 'mae' | 'mfe') => exactSum(trades, (trade) => trade[figure]);
  const [entryValue, mae, mfe] = [sum('entryValue'), sum('mae'), sum('mfe')];
  return {
    ...{ strategyId, side, tag, group, entryTime, entryPrice, maxQuantity, entryValue, mae, mfe },
    symbol: [...new Set(trades.map(({ symbol }) => symbol))].join(' + '),
    volume: sum('volume'),
    fees: sum('fees'),
    funding: sum('funding'),
    fills: trades.reduce((count, { fills }) => count + fills, 0),
    pathFills: trades.reduce((count, { pathFills }) => count + pathFills, 0),
    maeShare: ratioOf(mae, entryValue),
    mfeShare: ratioOf(mfe, entryValue),
  };
}

function openGroup(episode: readonly GroupLeg[]): OpenTrade {
  const quantity = episode.reduce((sum, { open }) => sum.plus(open?.quantity ?? 0), new Decimal(0));
  return { ...sumsOf(episode), quantity };
}

/** @param last the leg that ended last. */
function closedGroup(episode: readonly GroupLeg[], last: RoundTrip): RoundTrip {
  const sums = sumsOf(episode);
  const trades = episode.map(({ closed }) => closed!.trade);
  const sum = (figure: 'netProfit' | 'profitBeforeCosts' | 'entryQuantity' | 'entryNotional' | 'exitQuantity' | 'exitNotional') =>
    exactSum(trades, (trade) => trade[figure]);
  const netProfit = sum('netProfit');
  const { exitTag, exitReason, exitTime, exitPrice } = last;
  return {
    ...sums,
    ...{ exitTag, exitReason, exitTime, exitPrice, netProfit },
    liquidated: trades.some(({ liquidated }) => liquidated),
    profitBeforeCosts: sum('profitBeforeCosts'),
    returnOnEntry: ratioOf(netProfit, sums.entryValue),
    holdingMs: exitTime - sums.entryTime || Math.max(...trades.map(({ holdingMs }) => holdingMs)),
    entryQuantity: sum('entryQuantity'),
    entryNotional: sum('entryNotional'),
    exitQuantity: sum('exitQuantity'),
    exitNotional: sum('exitNotional'),
  };
}
