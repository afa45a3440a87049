import { MARKET_EVENT_KINDS } from '../../../src/model/market-events.ts';
import { amend, cancel, place, setTimer } from '../../../src/strategy/intents.ts';
import { at, instrument, run, series } from '../../builders.ts';
import { type ConformanceRow, isAmend, isCancel, type Outcome } from '../row.ts';
import { endText, fillText } from './outcome.ts';

/** The whole wired backtest: a strategy sets a timer for each step and sends it when it fires. */
export async function backtestDoor(row: ConformanceRow): Promise<Outcome> {
  const traded = instrument({ makerFee: row.makerFee, takerFee: row.takerFee });
  const { steps, entryMs = 0, cancelMs = 0, responseMs = 0 } = row;
  const sources = MARKET_EVENT_KINDS.flatMap((kind) => {
    const rows = row.data[kind];
    return rows === undefined ? [] : [{ instrument: traded, kind, open: () => series(kind, rows) }];
  });
  const { fills, events, state, pathFills, unguardedBars, narrowTrailBars } = await run({
    sources,
    fills: row.fills ?? {},
    exits: row.exits ?? 'entryBar',
    latency: { entryMs, cancelMs, responseMs },
    closeAtEnd: row.closeAtEnd ?? false,
    kind: row.account ?? 'netting',
    balances: row.balances ?? { USDT: '1000000' },
    bars: { from: 'bar', intervals: [[]], graceMs: 0 },
    script: {
      onStart: () => steps.map((step, index) => setTimer({ name: String(index), at: at(step.at) })),
      onTimer: (self, { name }) => {
        const step = steps[Number(name)]!;
        if (isCancel(step)) return cancel({ tag: step.cancel });
        if (isAmend(step)) {
          const { price, quantity } = step;
          const { clientOrderId } = self.open().find(({ tag }) => tag === step.amend)!;
          return amend({ clientOrderId, price, quantity });
        }
        const { id, at: _, type, ...rest } = step;
        const plain = rest.price === undefined ? 'market' : 'limit';
        const size = rest.quoteQuantity === undefined ? { quantity: rest.quantity ?? 1 } : {};
        return place({ symbol: 'BTC-USDT', tag: id, type: type ?? plain, ...rest, ...size });
      },
    },
  });
  const nameOf = (clientOrderId: string) => state.order(clientOrderId)?.tag ?? clientOrderId;
  return {
    fills: fills.map(fillText),
    ends: events.map((event) => endText(event, nameOf)).filter((text) => text !== undefined),
    pathFills,
    unguardedBars,
    narrowTrailBars,
    totals: Object.fromEntries([...state.portfolio.balances.values()].map(({ asset, total }) => [asset, total.toFixed()])),
  };
}
