import type { ExchangeClient } from '../../../../src/exchange/client/exchange-client.ts';
import { PacedFeed } from '../../../../src/local-exchange/feeds.ts';
import { SteppedClock } from '../../../../src/local-exchange/stepped-clock.ts';
import { Decimal } from '../../../../src/model/decimal.ts';
import { Funding, MARKET_EVENT_KINDS, Mark, type MarketEvent, Quote, Ticker } from '../../../../src/model/market-events.ts';
import { fundingTime } from '../../../../src/recording/funding-time.ts';
import { at, fillSettings, secondsOf, T0 } from '../../../builders.ts';
import { PERP, startLocal } from '../../../local-exchange/local.ts';
import { type FuturesRow, type FuturesStep, isCancel } from '../row.ts';
import type { WireOutcome } from './on-the-wire.ts';
import { marginOf, perpetual } from './setting.ts';
import { heldOf, sumOf, totalOf, WireWatch } from './wire-watch.ts';

/**
 * A local exchange over sockets: the row's market comes by a feed on a stepped clock, orders by operation 13, and after
 * every moment operations 10 and 14 to 16 tell what came of it. What rests at the end is canceled by operation 12.
 */
export async function httpDoor(row: FuturesRow): Promise<WireOutcome> {
  const clock = new SteppedClock(T0);
  const market = marketOf(row);
  const local = await startLocal({
    clock,
    feed: new PacedFeed(() => market[Symbol.iterator](), clock, { speed: 1, loop: false }),
    instruments: [perpetual(row)],
    accounts: [{ name: 'guest', balances: { futures: { USDT: row.deposit } } }],
    fills: fillSettings(row.fills),
    margin: () => marginOf(row),
    lists: { keepTerminalOrders: true, keepFlatPositions: true },
  });
  try {
    const client = local.client();
    const watch = new WireWatch(client, row);
    const times = new Set([...market.map(({ time }) => time), ...row.steps.map((step) => at(step.at))]);
    for (const time of [...times].sort((a, b) => a - b)) {
      clock.step(time - clock.now());
      await watch.look(secondsOf(time));
      for (const step of row.steps.filter((one) => at(one.at) === time)) {
        if (isCancel(step)) await cancel(client, step.cancel);
        else await place(client, step);
        await watch.look(secondsOf(time));
      }
    }
    const left = (await client.futuresOrders()).filter(({ status }) => status === 'open' || status === 'untriggered');
    for (const { client_oid: id } of left) await cancel(client, id);
    const { collateral, position, frozen } = await watch.account();
    const liquidationFee = sumOf(collateral, (one) => one.cum_position_liquidate_fee_amount).negated();
    const fromFund = sumOf(collateral, (one) => one.cum_transfer_in_amount);
    const fillFee = sumOf(collateral, (one) => one.cum_position_fill_fee_amount).negated();
    return {
      events: [...watch.events, ...left.map(({ client_oid: id }) => `${id} left`)].sort(),
      total: totalOf(collateral).toFixed(),
      frozen,
      held: { long: heldOf(position, 'long'), short: heldOf(position, 'short') },
      insurance: liquidationFee.minus(fromFund).toFixed(),
      sums: {
        funding: sumOf(collateral, (one) => one.cum_position_funding_amount).toFixed(),
        liquidationFee: liquidationFee.toFixed(),
        fillFee: row.margin?.separated === true ? undefined : fillFee.toFixed(),
      },
      contradictions: watch.contradictions,
    };
  } finally {
    await local.close();
  }
}

/** A row's market in the order in which a recording of it is played. */
function marketOf(row: FuturesRow): MarketEvent[] {
  const traded = perpetual(row);
  const { data } = row;
  const events: MarketEvent[] = [
    ...(data.quote ?? []).map(([seconds, bid, ask, bids, asks]) => new Quote(traded, at(seconds), 0, bid!, ask!, bids!, asks!)),
    ...(data.ticker ?? []).map(([seconds, last]) => new Ticker(traded, at(seconds), 0, last!)),
    ...(data.mark ?? []).map(([seconds, units]) => new Mark(traded, at(seconds), 0, units!, 0)),
    ...(data.funding ?? []).map(
      ([seconds, millionths]) => new Funding(traded, fundingTime(at(seconds)), 0, new Decimal(millionths!).div(1_000_000)),
    ),
  ];
  const rank = ({ kind }: MarketEvent) => MARKET_EVENT_KINDS.indexOf(kind);
  return events.sort((a, b) => a.time - b.time || rank(a) - rank(b));
}

/** An order without a trigger is one whose trigger is the last price: it fires as it arrives. */
async function place(client: ExchangeClient, step: FuturesStep): Promise<void> {
  const { id, open, close, quantity = 1, price, trigger } = step;
  const trigger_price = trigger === undefined ? (await client.futuresTicker({ symbol: PERP })).last : String(trigger);
  const side = (open ?? close)!;
  const types = open === undefined ? ({ long: '3', short: '4' } as const) : ({ long: '1', short: '2' } as const);
  await client.triggerOrder({
    symbol: PERP,
    client_oid: id,
    size: String(quantity),
    type: types[side],
    match_type: price === undefined ? '1' : '0',
    execute_price: String(price ?? 0),
    trigger_price,
  });
}

async function cancel(client: ExchangeClient, clientOid: string): Promise<void> {
  const { result, err_msg } = await client.cancelFuturesOrder({ symbol: PERP, clientOid });
  if (!result) throw new Error(`${clientOid} is not canceled: ${err_msg}`);
}
