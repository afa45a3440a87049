import type { FuturesRow } from '../row.ts';

const tickers = (...rows: [number, number][]) => ({ data: { ticker: rows } });
const rich = { deposit: '1000', takerFee: '0.001', makerFee: '0.0005', margin: { leverage: '10' } } as const;

/** Trigger orders: which way they look, when they fire, what they then are. */
export const TRIGGERS: readonly FuturesRow[] = [
  {
    title: 'a trigger above the last price waits for the price to rise to it, and then buys at that price',
    ...rich,
    ...tickers([0, 100], [10, 104], [20, 105], [30, 106]),
    steps: [{ at: 1, id: 'a', open: 'long', trigger: 105 }],
    expect: ['20 a triggered 105', '20 a open long 1@105 taker'],
    // 105 x 0.001
    total: '999.895',
    frozen: '10.5',
    held: { long: 1 },
  },
  {
    title: 'a trigger below the last price waits for the price to fall to it',
    ...rich,
    venueOnly: true,
    ...tickers([0, 100], [10, 96], [20, 95], [30, 94]),
    steps: [{ at: 1, id: 'a', open: 'long', trigger: 95 }],
    expect: ['20 a triggered 95', '20 a open long 1@95 taker'],
    total: '999.905',
    frozen: '9.5',
    held: { long: 1 },
  },
  {
    title: 'a trigger at the last price fires at once',
    // An engine sends no trigger then, but an order.
    venueOnly: true,
    ...rich,
    ...tickers([0, 100], [10, 104]),
    steps: [{ at: 1, id: 'a', open: 'short', trigger: 100 }],
    expect: ['1 a triggered 100', '1 a open short 1@100 taker'],
    total: '999.9',
    frozen: '10',
    held: { short: 1 },
  },
  {
    title: 'the direction is fixed when the order is accepted: a rising trigger lets the price fall as it likes',
    ...rich,
    ...tickers([0, 100], [10, 90], [20, 104], [30, 107]),
    steps: [{ at: 1, id: 'a', open: 'long', trigger: 105 }],
    expect: ['30 a triggered 107', '30 a open long 1@107 taker'],
    total: '999.893',
    frozen: '10.7',
    held: { long: 1 },
  },
  {
    title: 'a price that jumps over the trigger fires it, and the order meets that price',
    ...rich,
    ...tickers([0, 100], [10, 80]),
    steps: [{ at: 1, id: 'a', open: 'short', trigger: 95 }],
    expect: ['10 a triggered 80', '10 a open short 1@80 taker'],
    total: '999.92',
    frozen: '8',
    held: { short: 1 },
  },
  {
    title: 'a trigger with a limit that the price has passed becomes a resting order, and fills as maker when the price returns',
    ...rich,
    ...tickers([0, 100], [10, 105], [20, 103], [30, 102]),
    steps: [{ at: 1, id: 'a', open: 'long', trigger: 105, price: 103 }],
    // Strict cross: 103 is not enough, 102 is.
    expect: ['10 a triggered 105', '30 a open long 1@103 maker'],
    // 103 x 0.0005
    total: '999.9485',
    frozen: '10.3',
    held: { long: 1 },
  },
  {
    title: 'a trigger with a limit inside the market takes',
    ...rich,
    ...tickers([0, 100], [10, 105]),
    steps: [{ at: 1, id: 'a', open: 'long', trigger: 105, price: 107 }],
    expect: ['10 a triggered 105', '10 a open long 1@105 taker'],
    total: '999.895',
    frozen: '10.5',
    held: { long: 1 },
  },
  {
    title: 'an untriggered order is canceled, and holds no margin before',
    ...rich,
    ...tickers([0, 100], [10, 104], [20, 110]),
    steps: [
      { at: 1, id: 'a', open: 'long', trigger: 105 },
      { at: 11, cancel: 'a' },
    ],
    expect: ['11 a canceled requested'],
    total: '1000',
    frozen: '0',
  },
  {
    title: 'untriggered orders hold no margin: two that together need too much are taken, and the second is refused when it fires',
    ...rich,
    venueOnly: true,
    deposit: '20',
    ...tickers([0, 100], [10, 105], [20, 106]),
    steps: [
      { at: 1, id: 'a', open: 'long', trigger: 105 },
      { at: 1, id: 'b', open: 'long', trigger: 106 },
    ],
    // a: 10.5 margin and 0.105 fee leave 19.895, with 1 of profit at 106: 20.895 - 10.5 = 10.395; b needs 10.6 + 0.106.
    expect: ['10 a triggered 105', '10 a open long 1@105 taker', '20 b triggered 106', '20 b rejected marginTooLow USDT 10.706 10.395'],
    total: '19.895',
    frozen: '10.5',
    held: { long: 1 },
  },
  {
    title: 'by mark: the mark fires it, and it meets the last price',
    ...rich,
    contract: { triggerBy: 'mark' },
    data: {
      ticker: [
        [0, 100],
        [20, 101],
      ],
      mark: [
        [0, 100],
        [10, 105],
      ],
    },
    steps: [{ at: 1, id: 'a', open: 'long', trigger: 105 }],
    expect: ['10 a triggered 105', '10 a open long 1@100 taker'],
    total: '999.9',
    frozen: '10',
    held: { long: 1 },
  },
  {
    title: 'by mark: the last price triggers nothing while the mark is fresh',
    ...rich,
    contract: { triggerBy: 'mark' },
    data: {
      ticker: [
        [0, 100],
        [10, 110],
        [20, 101],
      ],
      mark: [
        [0, 100],
        [9, 104],
      ],
    },
    steps: [{ at: 1, id: 'a', open: 'long', trigger: 105 }],
    expect: ['20 a expired endOfRun'],
    total: '1000',
    frozen: '0',
  },
  {
    title: 'a close is trimmed to the position',
    ...rich,
    ...tickers([0, 100], [10, 95]),
    venueOnly: true,
    steps: [
      { at: 1, id: 'a', open: 'long', quantity: 2 },
      { at: 2, id: 'b', close: 'long', quantity: 5, trigger: 96 },
    ],
    expect: ['1 a open long 2@100 taker', '10 b triggered 95', '10 b close long 2@95 taker', '10 b expired positionClosed'],
    // fees 0.2 and 0.19, loss 10
    total: '989.61',
    frozen: '0',
  },
  {
    title: 'a close that fires with nothing to close is refused',
    ...rich,
    venueOnly: true,
    ...tickers([0, 100], [10, 95]),
    steps: [{ at: 2, id: 'b', close: 'long', quantity: 5, trigger: 96 }],
    expect: ['10 b triggered 95', '10 b rejected nothingToClose long 0'],
    total: '1000',
    frozen: '0',
  },
  {
    title: 'on bars the path inside the bar fires it at its price',
    ...rich,
    fills: { path: 'ohlc' },
    data: {
      bar: [
        [0, 100, 101, 99, 100, 10],
        [60, 100, 105, 98, 101, 10],
      ],
    },
    steps: [{ at: 60, id: 'a', open: 'long', trigger: 103 }],
    // Inside the bar: at its close time.
    expect: ['120 a triggered 103', '120 a open long 1@103 taker'],
    total: '999.897',
    frozen: '10.3',
    held: { long: 1 },
  },
  {
    title: 'on bars an open beyond the trigger fires it at the open',
    ...rich,
    fills: { path: 'ohlc' },
    data: {
      bar: [
        [0, 100, 101, 99, 100, 10],
        [60, 107, 108, 98, 101, 10],
      ],
    },
    steps: [{ at: 60, id: 'a', open: 'long', trigger: 103 }],
    expect: ['60 a triggered 107', '60 a open long 1@107 taker'],
    total: '999.893',
    frozen: '10.7',
    held: { long: 1 },
  },
  {
    title: 'from the next bar: the path of the bar that is under way does not fire it',
    ...rich,
    venueOnly: true,
    fills: { path: 'ohlc' },
    data: {
      bar: [
        [0, 100, 100, 100, 100, 10],
        [60, 100, 110, 99, 100, 10],
        [120, 100, 104, 98, 101, 10],
        [180, 100, 106, 98, 101, 10],
      ],
    },
    steps: [
      { at: 90, id: 'a', open: 'long', trigger: 105, fromNextBar: true },
      { at: 90, id: 'b', open: 'short', trigger: 101 },
    ],
    // a sleeps through this bar's 110; the next bar's 104 is short of it; 106 reaches it.
    expect: ['120 b triggered 101', '120 b open short 1@101 taker', '240 a triggered 105', '240 a open long 1@105 taker'],
    // fees 0.101 and 0.105
    total: '999.794',
    frozen: '20.6',
    held: { long: 1, short: 1 },
  },
  {
    title: 'with quotes, buy triggers use the ask and pay it',
    ...rich,
    data: {
      quote: [
        [0, 99, 100, 50, 50],
        [10, 103, 104, 50, 50],
        [20, 104, 105, 50, 50],
        [30, 104, 105, 50, 50],
      ],
    },
    steps: [{ at: 1, id: 'a', open: 'long', trigger: 105 }],
    expect: ['20 a triggered 105', '20 a open long 1@105 taker'],
    total: '999.895',
    frozen: '10.5',
    held: { long: 1 },
  },
  {
    title: 'with quotes, sell triggers use the bid and receive it',
    ...rich,
    data: {
      quote: [
        [0, 99, 100, 50, 50],
        [10, 96, 97, 50, 50],
        [20, 94, 97, 50, 50],
        [30, 94, 97, 50, 50],
      ],
    },
    steps: [{ at: 1, id: 'a', open: 'short', trigger: 95 }],
    expect: ['20 a triggered 94', '20 a open short 1@94 taker'],
    total: '999.906',
    frozen: '9.4',
    held: { short: 1 },
  },
];
