import { MARKET_EVENT_KINDS } from '../../../../src/model/market-events.ts';
import { cancel, place, setTimer } from '../../../../src/strategy/intents.ts';
import { at, run, series } from '../../../builders.ts';
import { type FuturesOutcome, type FuturesRow, isCancel } from '../row.ts';
import { eventText } from './outcome.ts';
import { marginOf, perpetual, SYMBOL, seriesOptions } from './setting.ts';

/** The whole wired backtest: a strategy sets a timer for each step and sends it when it fires. */
export async function backtestDoor(row: FuturesRow): Promise<FuturesOutcome> {
  const traded = perpetual(row);
  const { steps } = row;
  const sources = MARKET_EVENT_KINDS.flatMap((kind) => {
    const rows = row.data[kind];
    return rows === undefined ? [] : [{ instrument: traded, kind, open: () => series(kind, rows, seriesOptions(kind)) }];
  });
  const { events, state, insurance } = await run({
    sources,
    fills: row.fills ?? {},
    kind: 'futures',
    margin: marginOf(row),
    balances: { USDT: row.deposit },
    bars: { from: 'bar', intervals: [[]], graceMs: 0 },
    script: {
      onStart: () => steps.map((step, index) => setTimer({ name: String(index), at: at(step.at) })),
      onTimer: (_self, { name }) => {
        const step = steps[Number(name)]!;
        if (isCancel(step)) return cancel({ tag: step.cancel });
        const { id, open, close, quantity = 1, price, trigger, timeInForce, postOnly } = step;
        const positionSide = (open ?? close)!;
        const plain = price === undefined ? 'market' : 'limit';
        return place({
          symbol: SYMBOL,
          side: (positionSide === 'long') === (open !== undefined) ? 'buy' : 'sell',
          positionSide,
          type: trigger === undefined ? plain : price === undefined ? 'stop' : 'stopLimit',
          quantity,
          price,
          stopPrice: trigger,
          timeInForce,
          postOnly,
          tag: id,
        });
      },
    },
  });
  const nameOf = (clientOrderId: string) => state.order(clientOrderId)?.tag ?? clientOrderId;
  const { total, frozen } = state.portfolio.balance('USDT');
  const own = events.filter((event) => !('clientOrderId' in event && event.clientOrderId.startsWith('liq-')));
  return {
    events: own.map((event) => eventText(event, nameOf)).filter((text) => text !== undefined),
    total: total.toFixed(),
    frozen: frozen.toFixed(),
    held: { long: state.position(traded, 'long').steps, short: Math.abs(state.position(traded, 'short').steps) },
    insurance: insurance('USDT').toFixed(),
  };
}
