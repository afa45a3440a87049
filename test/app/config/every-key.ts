/** Configs that together use every key of the schema, each with a value that is not its default. */

const STRATEGY_LIMITS = `capital: "10000"
      maxDrawdown: { limit: "0.2", onBreach: flatten }
      dailyLoss: { limit: "0.05", onBreach: flatten, resetAt: midnight }
      maxLossPerTrade: { amount: "500", share: "0.01", onBreach: close }
      cooldown: { losses: 3, for: 4h }
      symbolCooldown: { for: 30m, after: loss }
      stopLossGuard: { stops: 4, within: 24h, for: 12h, scope: symbol }
      errorBudget: { errors: 10, perMs: 60000, for: 1h }
      concentration: { symbol: "0.5", asset: "0.6" }
      tradingWindows:
        - { days: [mon, tue], from: "09:00", to: "17:30", zone: Europe/Berlin }
      maxDataAge: 1m
      reducing: true
      selfTrade: deny
      maxExposure: "50000"
      maxLeverage: "3"
      maxMarginUse: "0.5"
      minLiquidationDistance: "0.1"
      maxOpenOrders: 5
      maxOpenPositions: 4
      orderRate: { orders: 10, perMs: 1000 }`;

const BOT = `dir: ./bots
  poll: { tickerMs: 500, accountMs: 700, lookupMs: 20000, idleMs: 4000, staleMs: 8000 }
  warmup: cold
  start: each
  candles: true
  onStop: keep
  lostExit: reduce
  leverage: set
  graceMs: 9000
  visibilityLagMs: 2000
  maxSendDelayMs: 3000
  maxQueuedOrders: 100
  unknownLimitMs: 120000
  fillGapMs: 20000
  foreign: ignore
  watchdog:
    afterMs: 20000
    flatten: true
  unexplained: halt`;

/** On bars, with limits, a recorded latency, and a bot on the prices of a recording. */
const SPOT = `name: spot
dataDir: ./recordings
account: { kind: spot, currency: USDT, balances: { USDT: "1000", BTC: "0.5" } }
instruments:
  BTC-USDT:
    tickSize: "0.01"
    stepSize: "0.001"
    makerFee: "0.0002"
    takerFee: "0.001"
    minQuantity: "0.002"
    maxQuantity: "100"
    minNotional: "5"
    maxNotional: "100000"
strategies:
  - id: one
    file: ./one.ts
    export: One
    symbols: [BTC-USDT]
    params: { fast: 5, nested: { slow: 20 } }
  - { id: two, file: ./two.ts, symbols: [BTC-USDT], params: { fast: null } }
signals:
  preds: { recording: mine, file: ./preds.jsonl, post: true, availableAfter: 1m, maxAhead: 2d }
risk:
  account: { capital: "20000", exitsBelowMinimum: close, maxDrawdown: "0.3", dailyLoss: "0.1", maxLossPerTrade: "400" }
  strategies:
    one:
      ${STRATEGY_LIMITS.replace(/\n.*(Leverage|MarginUse|Liquidation).*/g, '')}
      orders: { priceCollar: "0.05", maxQuantity: "2", maxNotional: "5000" }
      positions: { BTC-USDT: "0.5" }
  orders: { priceCollar: "0.06", maxQuantity: "3", maxNotional: "6000" }
  positions: { BTC-USDT: "2" }
backtest:
  data: [sample, more]
  from: 2025-01-01
  to: 2025-02-01T12:00
  use: bar
  warmup: cold
  start: each
  profile: full
  marketBuyCollar: "0.04"
  barGraceMs: 3000
  fills:
    market: close
    limit: { penetrateTicks: 3 }
    gapFill: better
    path: best
    exits: nextBar
    liquidity: unlimited
    barVolumeShare: "0.1"
    tickerQuantity: "2"
    halfSpreadTicks: 1.5
    slippageBps: 2
    slippage: { volumeShare: { impact: 0.2, limit: "0.05" } }
  latency: { recorded: ./latency.csv, seed: 3, overload: { probability: 0.1, ordersPerSecond: 4 } }
  limits: { ipWeight: 400, uidWeight: 300, windowMs: 5000, actionsPerSecond: 8, ordersPerMinute: 40, orderDelayMs: 50 }
  atEnd: close
search:
  parameters:
    strategies.0.params.fast: { min: 2, max: 20, step: 2, scale: log }
    risk.account.maxDrawdown: { values: ["0.2", "0.4"] }
  method: tpe
  trials: 50
  seed: 4
  objective: { maximize: sharpe - maxDrawdown }
  constraints: [trades >= 20]
  where: [strategies.0.params.fast > 3]
  batch: 5
  timeoutMs: 60000
  memoryMb: 500
  sharedData: false
  prune: constraints
prove: { tolerance: "1", onDifference: reduce }
report: { equityEvery: 15m, benchmark: BTC-USDT, trades: fifo, annualDays: 252, dayZone: America/New_York, format: parquet, times: iso, numbers: float }
paper:
  ${BOT}
  prices: { recording: sample, use: bar, speed: 60, loop: true }
record:
  name: mine
  symbols: [BTC-USDT]
  everyMs: 2000
  rotate: 15m
  syncMs: 100
  keepPolls: false
`;

/** On quotes, with queues. */
const NETTING = `name: netting
account:
  kind: netting
  balances:
    USDT: "1000"
instruments:
  BTC-USDT-PERP: { tickSize: "0.1", stepSize: "0.001" }
strategies:
  - id: one
    file: ./one.ts
    symbols:
      - BTC-USDT-PERP
    params:
      fast: 10
risk:
  account:
    maxLeverage: "3"
backtest:
  data: [sample]
  use: [quote, trade]
  fills:
    limit: { queue: power, exponent: 2, ahead: "5" }
    restingBy: trades
    impact: none
    slippage: { squareRoot: { coefficient: 0.5, days: 20 } }
`;

/** On tickers as a bot sees them, with contracts, and a bot on the exchange. */
const FUTURES = `name: futures
search: { parameters: { backtest.pollMs: { min: 500, max: 900 } }, objective: { minimize: maxDrawdown } }
account:
  kind: futures
  balances: { USDT: "10000" }
  spot: { USDT: "500" }
  margin: { mode: isolated, separated: true, leverage: { long: "10", short: "8" }, autoAppend: true }
instruments:
  BTC-USDT-PERP:
    tickSize: "0.1"
    stepSize: "0.001"
    contract:
      value: "0.00001"
      maintenance: "0.01"
      liquidationFee: "0.002"
      triggerBy: mark
      margin: { mode: shared, separated: false, leverage: "20", autoAppend: false }
  ETH-USDT-PERP:
    tickSize: "0.01"
    stepSize: "0.01"
    contract:
      tiers:
        - { upTo: "10000", maintenance: "0.004", maxLeverage: "50" }
        - { maintenance: "0.01" }
      margin: { leverage: { long: "4", short: "3" } }
  SOL-USDT: { tickSize: "0.01", stepSize: "0.01" }
strategies:
  - { id: one, file: ./one.ts, symbols: [BTC-USDT-PERP, ETH-USDT-PERP], references: [SOL-USDT] }
risk:
  account:
      ${STRATEGY_LIMITS}
  strategies:
    one: { maxLeverage: "2", maxMarginUse: "0.4", minLiquidationDistance: "0.2" }
backtest:
  data: [sample]
  use: ticker
  observation: polled
  pollMs: 500
  fills: { slippage: { spread: 0.5 } }
  futures:
    funding: { rate: "0.0001", every: 4h }
    marks: last
    markMaxAge: 2m
    liquidation: false
    insuranceFund: { USDT: "1000" }
live:
  enabled: true
  spotBaseUrl: https://spot.example
  contractBaseUrl: https://contract.example
  keys:
    key: \${KEY}
    secret: { file: ./secret.txt }
    passphrase: \${PASSPHRASE}
  locale: de-DE
  budget: { ipWeight: 400, uidWeight: 300, windowMs: 9000, actionsPerSecond: 8, pauseMs: 5000 }
  batchLimit: 5
  timeouts: { connectMs: 4000, headersMs: 8000, bodyMs: 7000 }
  marketBuyByQuote: false
  futuresTicker: false
  post: { port: 9001, token: "\${KEY}" }
  ${BOT}
`;

/** A bot on the public tickers of an exchange. */
const PUBLIC = `extends: ./base.yaml
name: public
paper:
  prices:
    exchange: { spotBaseUrl: https://spot.example, contractBaseUrl: https://contract.example, everyMs: 2000 }
  post: { port: 9002, token: { file: ./secret.txt } }
`;

/** With models of the user. */
const MODELS = NETTING.replace('name: netting', 'name: models').replace(
  / {2}fills:[\s\S]*/,
  `  fills:
    slippage: { file: ./models.ts, export: Slip, params: { rate: 2 }, seed: 2 }
    fee: { file: ./models.ts, export: Fee, params: { rate: 2 }, seed: 3 }
    limit: { file: ./models.ts, export: Limit, params: { rate: 2 }, seed: 4 }
    path: { file: ./models.ts, export: Path, params: { rate: 2 }, seed: 5 }
  latency: { model: { file: ./models.ts, export: Delay, params: { rate: 2 } } }
`,
);

const KEYS = `extends: ./base.yaml
name: keys
live:
  keys: { key: { file: ./secret.txt }, passphrase: { file: ./secret.txt } }
  post: { token: { file: ./secret.txt } }
`;

const DISTRIBUTIONS = [
  '{ uniform: [1, 5] }',
  '{ normal: { mean: 20, deviation: 5 } }',
  '{ lognormal: { median: 30, sigma: 0.4 } }',
  '{ exponential: { least: 2, mean: 9 } }',
];

/** Each delay with each distribution, in four configs. */
const LATENCIES = Object.fromEntries(
  DISTRIBUTIONS.map((_, turn) => {
    const delays = ['feedMs', 'entryMs', 'responseMs', 'cancelMs'].map((key, index) => `${key}: ${DISTRIBUTIONS[(index + turn) % 4]}`);
    return [`latency-${turn}.yaml`, `extends: ./base.yaml\nname: latency-${turn}\nbacktest:\n  latency: { ${delays.join(', ')} }\n`];
  }),
);

export const EVERY_KEY: Readonly<Record<string, string>> = {
  'spot.yaml': SPOT,
  'netting.yaml': NETTING,
  'futures.yaml': FUTURES,
  'public.yaml': PUBLIC,
  'models.yaml': MODELS,
  'keys.yaml': KEYS,
  ...LATENCIES,
};
/** What the configs above extend. */
export const BASE = {
  'base.yaml': NETTING.replaceAll('BTC-USDT-PERP', 'BTC-USDT')
    .replace('kind: netting', 'kind: spot')
    .replace('    maxLeverage: "3"', '    maxOpenOrders: 4'),
};
export const ENVIRONMENT = { KEY: 'k', PASSPHRASE: 'p' };
