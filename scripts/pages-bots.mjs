// Bots and lists that the pages of `serve` are shown with: one that trades, one that is latched, one that is broken, and two without a process.

const MINUTE = 60_000;
const DAY = 86_400_000;

/** @param now the clock. @returns looks at the bots, as `serve` has them looked at. */
export function seenBots(now) {
  const seenAt = now();
  const quiet = { unprotected: {}, openOrders: {}, orders: [], lastOrder: null, lastFills: [], denied: {}, latches: [], health: [] };
  const rest = {
    refused: [],
    differences: [],
    recorder: null,
    signals: null,
    waitingSignals: [],
    flatten: null,
    changes: [],
    closes: { pending: [], closed: [] },
  };
  const status = (name, change) => ({
    ...{ name, mode: 'paper', pid: 4_711, uptimeMs: 3 * DAY + 4 * 60 * MINUTE, phase: 'running', time: now() },
    strategies: [
      { id: 'cross-btc', symbols: ['BTC-USDT'], positions: { 'BTC-USDT': '0.35' } },
      { id: 'cross-eth', symbols: ['ETH-USDT'], positions: { 'ETH-USDT': '2.5' } },
    ],
    positions: { 'BTC-USDT': '0.35', 'ETH-USDT': '2.5' },
    balances: { USDT: { total: '4120.55', frozen: '1875' }, BTC: { total: '0.35', frozen: '0' }, ETH: { total: '2.5', frozen: '0' } },
    ...{
      currency: 'USDT',
      equity: '31204.1875',
      profit: { today: '182.405', total: '1204.1875' },
      ...quiet,
      trading: 'yes',
      lastTickAgeMs: 240,
    },
    ...{ pollMs: { marketMs: 1_000, accountMs: 5_000 }, requests: { queued: 0, oldestWaitMs: 0, free: 90 } },
    ...{ journal: { path: `runs/${name}/journal.sqlite`, bytes: 4_812_800 }, ...rest, ...change },
  });
  const folderOf = (name) => ({ path: `/srv/bots/runs/paper-${name}`, journal: `/srv/bots/runs/paper-${name}/journal.sqlite` });
  const bot = (name, state, why, more) => ({ name, mode: 'paper', folder: folderOf(name), state, why, isWatched: false, ...more });
  const order = {
    time: seenAt - 12 * MINUTE,
    clientOrderId: 'cross-btc-1-118',
    strategy: 'cross-btc',
    symbol: 'BTC-USDT',
    side: 'sell',
    type: 'limit',
  };
  const orders = [{ ...order, state: 'open', quantity: '0.03', filled: '0.0125', price: '62500' }];
  const latches = [{ rule: 'maxDailyLoss', time: seenAt - 95 * MINUTE, reason: 'lost 512.20 of 500 today' }];
  const health = [{ subject: 'market', symbol: 'SOL-USDT', condition: 'halted', reason: 'no price for 41 s', since: seenAt - MINUTE }];
  const denied = { maxNotional: 3, maxOrders: 1 };
  let looks = 0;
  return () => {
    looks += 1;
    return [
      bot('cross', 'trading', '', { status: status('cross', { orders, openOrders: { open: 1 }, denied }), seenAt: now(), isWatched: true }),
      bot('grid', 'latched', 'maxDailyLoss: lost 512.20 of 500 today', {
        status: status('grid', {
          equity: '9487.8',
          profit: { today: '-512.2', total: '-512.2' },
          positions: {},
          latches,
          health,
          trading: 'no',
        }),
        ...{ seenAt: now(), isWatched: true },
      }),
      looks === 1
        ? bot('maker', 'ready', '', {
            status: status('maker', { equity: '5120.25', profit: { today: '20.1', total: '120.25' }, positions: {} }),
            seenAt,
          })
        : bot('maker', 'unreachable', 'no reply within 3 s', { seenAt }),
      bot('perp', 'ready', '', {
        status: status('perp', { mode: 'live', equity: '2500.1', profit: { today: '0', total: '-0.45' }, positions: {}, strategies: [] }),
        ...{ mode: 'live', seenAt: now(), isWatched: true },
      }),
      bot('pair', 'crashed', 'last heartbeat 2 h 5 min ago', { seenAt: seenAt - 125 * MINUTE }),
      bot('trend', 'stopped', '3 d ago', { seenAt: seenAt - 3 * DAY }),
    ];
  };
}

const HOUR = 60 * MINUTE;
const POINTS = 480;
/** A time in which the bot did not run. */
const HOLE = { from: 180, to: 215 };

/** Answers of the API by their paths. */
export function lists(now) {
  const reading = { time: now, lastId: 9_120, isWhole: true, trouble: null };
  const at = (index) => now - (POINTS - index) * HOUR;
  const times = Array.from({ length: POINTS }, (_, index) => at(index));
  const isHole = (index) => index >= HOLE.from && index < HOLE.to;
  const level = (index) => 30_000 + index * 2.5 + 420 * Math.sin(index / 37) + 90 * Math.sin(index / 5);
  const equity = times.map((_, index) => (isHole(index) ? null : level(index)));
  let high = 0;
  const drawdown = equity.map((value) => {
    if (value === null) return null;
    high = Math.max(high, value);
    return value / high - 1;
  });
  const days = Array.from({ length: 20 }, (_, index) => ({
    day: new Date(now - (19 - index) * DAY).toISOString().slice(0, 10),
    profit: String(Math.round(9_000 * Math.sin(index * 1.7)) / 100),
    fills: (index * 7) % 11,
  }));
  const total = String(Math.round(days.reduce((sum, { profit }) => sum + Number(profit) * 100, 0)) / 100);
  const part = (index) => ({ strategy: index % 3 === 0 ? 'cross-eth' : 'cross-btc', symbol: index % 3 === 0 ? 'ETH-USDT' : 'BTC-USDT' });
  const side = (index) => (index % 2 === 0 ? 'buy' : 'sell');
  const price = (index) => (index % 3 === 0 ? String(3_100 + index) : String(61_000 + index * 12.5));
  const life = (index) => [
    { id: index * 4, time: at(POINTS - index), kind: 'submitted', words: `${side(index)} 0.02 at ${price(index)}` },
    { id: index * 4 + 1, time: at(POINTS - index) + 140, kind: 'accepted', words: 'the exchange has it as 70010023' },
    { id: index * 4 + 2, time: at(POINTS - index) + 9_000, kind: 'filled', words: `0.02 at ${price(index)}, fee 0.6 USDT` },
  ];
  const STATES = ['filled', 'filled', 'canceled', 'filled', 'rejected', 'open', 'unknown'];
  const orders = Array.from({ length: 60 }, (_, index) => ({
    ...{
      clientOrderId: `cross-1-${118 - index}`,
      orderId: String(70_010_023 - index),
      time: at(POINTS - index),
      ...part(index),
      side: side(index),
    },
    ...{
      type: index % 4 === 0 ? 'market' : 'limit',
      state: STATES[index % STATES.length],
      quantity: '0.02',
      filled: index % 7 === 2 ? '0' : '0.02',
    },
    ...{
      price: index % 4 === 0 ? null : price(index),
      stopPrice: null,
      tag: index % 5 === 0 ? 'entry' : '',
      reason: index % 7 === 4 ? 'balance too small' : '',
    },
    life: life(index),
  }));
  const fills = orders.map(({ clientOrderId, time, strategy, symbol, side: of }, index) => ({
    ...{ id: 9_000 - index, time, clientOrderId, fillId: String(index), strategy, symbol, side: of, positionSide: null, quantity: '0.02' },
    ...{ price: price(index), fee: '0.61', feeAsset: 'USDT', liquidity: index % 2 === 0 ? 'maker' : 'taker', tag: '' },
  }));
  const denials = Array.from({ length: 12 }, (_, index) => ({
    ...{ id: 800 - index, time: at(POINTS - index * 3), ...part(index), side: side(index), code: 'maxNotional' },
    reason: 'maxNotional: 1,250.00 of 1,000.00 USDT',
  }));
  const latches = [
    {
      id: 40,
      time: now - DAY,
      kind: 'lifted',
      rule: 'maxDrawdown',
      strategy: null,
      symbol: null,
      until: null,
      reason: 'reset by operator',
    },
    {
      id: 30,
      time: now - 2 * DAY,
      kind: 'set',
      rule: 'maxDrawdown',
      strategy: null,
      symbol: null,
      until: null,
      reason: 'drawdown 10.2 % of 10 %',
    },
  ];
  const lines = Array.from({ length: 40 }, (_, index) => ({
    ...{
      time: now - (40 - index) * 7_000,
      level: index % 13 === 5 ? 'warn' : 'info',
      message: index % 13 === 5 ? 'a poll took long' : 'order filled',
    },
    fields: index % 13 === 5 ? { ms: 4_210 } : { symbol: 'BTC-USDT', quantity: '0.02' },
  }));
  const statistics = (index) => ({
    totalReturn: 0.012 * index - 0.05,
    maxDrawdown: 0.01 * index + 0.02,
    sharpe: 0.3 * index - 0.8,
    trades: 40 * index,
  });
  const runs = Array.from({ length: 12 }, (_, index) => ({
    ...{
      id: `r${index}`,
      folder: `runs/sma-cross-${12 - index}`,
      name: `sma-cross-${12 - index}`,
      kind: index === 0 ? 'paper' : 'backtest',
      state: index === 0 ? 'running' : 'done',
    },
    ...{
      date: now - index * 5 * HOUR,
      from: '2026-01-01',
      to: '2026-02-28',
      currency: 'USDT',
      statistics: statistics(index),
      parameters: {},
      differs: { 'params.fast': String(8 + index) },
    },
    ...{ hasPage: index > 0, trouble: index === 7 ? 'summary.json: it is empty' : null },
  }));
  const study = { method: 'random', objective: 'sharpe', hasPage: true, trouble: null };
  const studies = [
    { id: 's1', folder: 'runs/search-sma', trials: 240, best: { trial: 112, value: 1.8421, params: { fast: '12', slow: '60' } }, ...study },
    { id: 's2', folder: 'runs/search-grid', trials: 36, best: null, ...study, method: 'grid' },
  ];
  const series = ['BTC-USDT', 'ETH-USDT', 'SOL-USDT'].flatMap((symbol) =>
    ['trades', 'quotes'].map((kind) => ({
      intervalMs: null,
      symbol,
      kind,
      rows: 1_204_118,
      from: now - 30 * DAY,
      to: now,
      bytes: 38_214_000,
      trouble: null,
    })),
  );
  return {
    'bots/\\w+/orders': { ...reading, kept: 118, orders },
    'bots/\\w+/fills': { ...reading, kept: 60, fills },
    'bots/\\w+/denials': { ...reading, kept: 12, denials },
    'bots/\\w+/latches': { ...reading, kept: 2, latches },
    'bots/\\w+/series': { ...reading, currency: 'USDT', times, equity, drawdown, days, total },
    'bots/\\w+/log': { time: now, path: '/srv/bots/runs/paper-cross/log.jsonl', lines },
    runs: { time: now, trouble: [], runs },
    studies: { time: now, trouble: [], studies },
    data: { time: now, recordings: [{ name: 'paper-cross', folder: 'data/paper-cross', series }], trouble: [] },
  };
}
