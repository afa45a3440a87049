import { Decimal } from '../../dist/model/decimal.js';
import { Instrument } from '../../dist/model/instrument.js';

const SILENT = { debug() {}, info() {}, warn() {} };
const UNIT = { multiply: 1, divide: 1 };

/** Tick and step of 1, so that the bare loop's integers are the engine's. */
export function makeInstruments(count) {
  return Array.from(
    { length: count },
    (_, index) =>
      new Instrument(index, { symbol: `COIN${index}-USD`, tickSize: '1', stepSize: '1', makerFee: '0.0005', takerFee: '0.0005' }),
  );
}

/** A plan over columns in memory: risk on, exact ledger, event log, nobody observing. */
export function makePlan({
  instruments,
  kind,
  rows,
  kinds = { [kind]: rows },
  intervalMs = 0,
  strategies,
  cash,
  latencyMs = 0,
  fills = {},
}) {
  return {
    name: 'bench',
    instruments,
    account: { kind: 'netting', currency: 'USD', equityEveryMs: 3_600_000 },
    balances: new Map([['USD', new Decimal(cash)]]),
    strategies,
    limits: { maxDrawdown: 0.9, maxExposure: new Decimal('1e15'), maxOpenOrders: 1_000, maxPosition: new Map() },
    fills: {
      market: 'nextOpen',
      limit: 'strictCross',
      gapFill: 'limit',
      path: 'worst',
      liquidity: 'recorded',
      barVolumeShare: undefined,
      halfSpreadTicks: 0,
      slippageBps: 0,
      restingBy: 'both',
      impact: 'kept',
      ...fills,
    },
    exitsWaitForNextBar: kind === 'bar',
    latency: { entryMs: latencyMs, responseMs: latencyMs, cancelMs: latencyMs },
    profile: 'full',
    marketBuyCollar: new Decimal('0.05'),
    closeAtEnd: false,
    sources: Object.entries(kinds).flatMap(([of, rowsOf]) =>
      instruments.map((instrument, index) => ({
        instrument,
        kind: of,
        open: () => ({
          rows: rowsOf(index),
          price: UNIT,
          quantity: UNIT,
          quantityDecimals: 0,
          intervalMs,
          snapshots: of === 'depth' ? 1 : 0,
        }),
      })),
    ),
    from: Number.NEGATIVE_INFINITY,
    to: Number.POSITIVE_INFINITY,
    bars: { from: 'bar', intervals: [], graceMs: 0 },
    history: () => [],
    log: SILENT,
  };
}
