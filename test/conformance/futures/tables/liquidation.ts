import type { FuturesRow } from '../row.ts';

const ten = { takerFee: '0.001', makerFee: '0.0005', margin: { leverage: '10' } } as const;
const alone = { takerFee: '0.001', makerFee: '0.0005', margin: { mode: 'isolated', leverage: '10' } } as const;
const falls = (...prices: number[]) => ({
  data: { ticker: prices.map((price, index) => [index * 10, price] as [number, number]) },
});

/** When a position lacks margin, what it is closed at, who pays. One tier of 1 % and a fee of 0.5 % unless said. */
export const LIQUIDATION: readonly FuturesRow[] = [
  {
    title: 'shared long: a tick above the liquidation price nothing happens',
    ...ten,
    ...falls(1000, 910, 910),
    deposit: '101',
    steps: [{ at: 1, id: 'a', open: 'long' }],
    // (1000 - 100) / 0.99 = 909.09: at 910 the balance is 10, the maintenance 9.1
    expect: ['1 a open long 1@1000 taker'],
    total: '100',
    frozen: '100',
    held: { long: 1 },
  },
  {
    title: 'shared long: at the first price beyond it is closed, and pays the fee to the fund',
    ...ten,
    ...falls(1000, 910, 909, 950),
    deposit: '101',
    steps: [{ at: 1, id: 'a', open: 'long' }],
    // balance 9, maintenance 9.09; 100 - 91 - 909 x 0.005
    expect: ['1 a open long 1@1000 taker', '20 liquidated burst long 1@909 4.545'],
    total: '4.455',
    frozen: '0',
    insurance: '4.545',
  },
  {
    title: 'the fee takes no more than is left',
    ...ten,
    contract: { liquidationFee: '0.01' },
    ...falls(1000, 909, 950),
    deposit: '101',
    steps: [{ at: 1, id: 'a', open: 'long' }],
    // 9 are left, 9.09 would be due
    expect: ['1 a open long 1@1000 taker', '10 liquidated burst long 1@909 9'],
    total: '0',
    frozen: '0',
    insurance: '9',
  },
  {
    title: 'a gap beyond bankruptcy: the fund pays the negative rest',
    ...ten,
    ...falls(1000, 850, 850),
    deposit: '101',
    steps: [{ at: 1, id: 'a', open: 'long' }],
    expect: ['1 a open long 1@1000 taker', '10 liquidated burst long 1@850 0'],
    total: '0',
    frozen: '0',
    insurance: '-50',
  },
  {
    title: 'shared short: liquidated when the price rises far enough',
    ...ten,
    ...falls(1000, 1089, 1090, 1000),
    deposit: '101',
    steps: [{ at: 1, id: 'a', open: 'short' }],
    // (1000 + 100) / 1.01 = 1089.1: at 1090 the balance is 10, the maintenance 10.9; 100 - 90 - 5.45
    expect: ['1 a open short 1@1000 taker', '20 liquidated burst short 1@1090 5.45'],
    total: '4.55',
    frozen: '0',
    insurance: '5.45',
  },
  {
    title: 'isolated long: its own margin counts and is lost, the rest of the collateral is not',
    ...alone,
    ...falls(1000, 910, 909, 950),
    deposit: '500',
    steps: [{ at: 1, id: 'a', open: 'long' }],
    // 499 - 91 - 4.545
    expect: ['1 a open long 1@1000 taker', '20 liquidated burst long 1@909 4.545'],
    total: '403.455',
    frozen: '0',
    insurance: '4.545',
  },
  {
    title: 'isolated: beyond bankruptcy the fund pays, not the collateral',
    ...alone,
    ...falls(1000, 850, 850),
    deposit: '500',
    steps: [{ at: 1, id: 'a', open: 'long' }],
    // 499 less the margin of 100
    expect: ['1 a open long 1@1000 taker', '10 liquidated burst long 1@850 0'],
    total: '399',
    frozen: '0',
    insurance: '-50',
  },
  {
    title: 'isolated short: liquidated at its own price',
    ...alone,
    ...falls(1000, 1089, 1090, 1000),
    deposit: '500',
    steps: [{ at: 1, id: 'a', open: 'short' }],
    expect: ['1 a open short 1@1000 taker', '20 liquidated burst short 1@1090 5.45'],
    total: '403.55',
    frozen: '0',
    insurance: '5.45',
  },
  {
    title: 'a stop that a gap fills beyond bankruptcy: the fund pays the negative rest',
    ...ten,
    ...falls(1000, 850, 850),
    deposit: '101',
    steps: [
      { at: 1, id: 'a', open: 'long' },
      { at: 2, id: 'b', close: 'long', trigger: 950 },
    ],
    // 100 - 150 - 0.85
    expect: ['1 a open long 1@1000 taker', '10 b triggered 850', '10 b close long 1@850 taker'],
    total: '0',
    frozen: '0',
    insurance: '-50.85',
  },
  {
    title: 'isolated: a stop that a gap fills beyond bankruptcy costs the margin and no more',
    ...alone,
    ...falls(1000, 850, 850),
    deposit: '500',
    steps: [
      { at: 1, id: 'a', open: 'long' },
      { at: 2, id: 'b', close: 'long', trigger: 950 },
    ],
    expect: ['1 a open long 1@1000 taker', '10 b triggered 850', '10 b close long 1@850 taker'],
    total: '399',
    frozen: '0',
    insurance: '-50.85',
  },
  {
    title: 'isolated: a part closed at a loss beyond its share of the margin leaves the rest of the margin less',
    ...alone,
    ...falls(1000, 895, 950, 950),
    deposit: '1000',
    contract: { tiers: [{ maintenance: '0.001' }] },
    margin: { mode: 'isolated', leverage: '10', autoAppend: true },
    steps: [
      { at: 1, id: 'a', open: 'long', quantity: 2 },
      { at: 2, id: 'b', close: 'long', trigger: 896 },
    ],
    // 998, 200 of it margin. The stop closes one at 895 before anything is liquidated: 105.895 lost, 5.895 more than its
    // share of 100, so 94.105 stay. The other stands at -105 + 94.105 < 0.895: 100 + 10.895 are appended to it.
    expect: ['1 a open long 2@1000 taker', '10 b triggered 895', '10 b close long 1@895 taker'],
    total: '892.105',
    frozen: '205',
    held: { long: 1 },
  },
  {
    title: 'the same loss on shared margin is carried by the whole collateral',
    ...ten,
    ...falls(1000, 909, 850, 850),
    deposit: '500',
    steps: [{ at: 1, id: 'a', open: 'long' }],
    // 499 - 150 is far above 8.5
    expect: ['1 a open long 1@1000 taker'],
    total: '499',
    frozen: '100',
    held: { long: 1 },
  },
  {
    title: 'tiers: a position above the first is reduced to the next lower one, and kept when that suffices',
    ...ten,
    contract: { tiers: [{ upTo: '1000', maintenance: '0.01' }, { maintenance: '0.05' }] },
    ...falls(1000, 927, 926, 950),
    deposit: '202',
    steps: [{ at: 1, id: 'a', open: 'long', quantity: 2 }],
    // Deduction 40; (2000 - 200 - 40) / (2 x 0.95) = 926.3. At 927: 54 against 1854 x 0.05 - 40 = 52.7; at 926: 52
    // against 52.6. One step less is 926, in the first tier: 200 - 74 - 4.63 = 121.37, 47.37 against 9.26.
    expect: ['1 a open long 2@1000 taker', '20 liquidated offset long 1@926 4.63'],
    total: '121.37',
    frozen: '100',
    held: { long: 1 },
    insurance: '4.63',
  },
  {
    title: 'tiers: the rest is closed completely when the price moves further',
    ...ten,
    contract: { tiers: [{ upTo: '1000', maintenance: '0.01' }, { maintenance: '0.05' }] },
    ...falls(1000, 926, 880, 950),
    deposit: '202',
    steps: [{ at: 1, id: 'a', open: 'long', quantity: 2 }],
    // 121.37 - 120 = 1.37 against 8.8; the fee would be 4.4
    expect: ['1 a open long 2@1000 taker', '10 liquidated offset long 1@926 4.63', '20 liquidated burst long 1@880 1.37'],
    total: '0',
    frozen: '0',
    insurance: '6',
  },
  {
    title: 'an account that is not due keeps its orders and its position',
    ...ten,
    ...falls(1000, 909, 950),
    deposit: '160',
    steps: [
      { at: 1, id: 'a', open: 'long' },
      { at: 2, id: 'b', open: 'long', price: 100 },
      { at: 3, id: 'c', open: 'long', price: 300 },
    ],
    // 159 - 91 = 68 is well above 9.09
    expect: ['1 a open long 1@1000 taker', '20 b expired endOfRun', '20 c expired endOfRun'],
    total: '159',
    frozen: '100',
    held: { long: 1 },
  },
  {
    title: 'due: open orders go first, then the position',
    ...ten,
    deposit: '131.3',
    steps: [
      { at: 1, id: 'a', open: 'long' },
      { at: 2, id: 'b', open: 'long', price: 300 },
      { at: 5, id: 'x', close: 'long', trigger: 1100 },
    ],
    venueOnly: true,
    data: {
      ticker: [
        [0, 1000],
        [10, 878],
        [20, 950],
      ],
    },
    // 130.3 - 122 = 8.3 against 8.78; 8.3 - 4.39
    expect: ['1 a open long 1@1000 taker', '10 b canceled liquidation', '10 x canceled liquidation', '10 liquidated burst long 1@878 4.39'],
    total: '3.91',
    frozen: '0',
    insurance: '4.39',
  },
  {
    title: 'on bars the path inside a bar liquidates at the first tick that is due',
    ...ten,
    fills: { path: 'ohlc' },
    data: {
      bar: [
        [0, 1000, 1000, 1000, 1000, 10],
        [60, 1000, 1000, 850, 950, 10],
        [120, 950, 950, 950, 950, 10],
      ],
    },
    deposit: '101',
    steps: [{ at: 60, id: 'a', open: 'long' }],
    expect: ['60 a open long 1@1000 taker', '120 liquidated burst long 1@909 4.545'],
    total: '4.455',
    frozen: '0',
    insurance: '4.545',
  },
  {
    title: 'on bars an open beyond the liquidation price is where it closes',
    ...ten,
    fills: { path: 'ohlc' },
    data: {
      bar: [
        [0, 1000, 1000, 1000, 1000, 10],
        [60, 1000, 1000, 950, 950, 10],
        [120, 905, 950, 900, 950, 10],
      ],
    },
    deposit: '101',
    steps: [{ at: 60, id: 'a', open: 'long' }],
    // 100 - 95 - 4.525
    expect: ['60 a open long 1@1000 taker', '120 liquidated burst long 1@905 4.525'],
    total: '0.475',
    frozen: '0',
    insurance: '4.525',
  },
  {
    title: 'the mark decides: a last price beyond does nothing while the mark is not',
    ...ten,
    data: {
      ticker: [
        [0, 1000],
        [10, 905],
        [20, 950],
      ],
      mark: [
        [0, 1000],
        [9, 950],
        [19, 950],
      ],
    },
    deposit: '101',
    steps: [{ at: 1, id: 'a', open: 'long' }],
    expect: ['1 a open long 1@1000 taker'],
    total: '100',
    frozen: '100',
    held: { long: 1 },
  },
  {
    title: 'the mark decides: a mark beyond the liquidation price closes at the present price',
    ...ten,
    data: {
      ticker: [
        [0, 1000],
        [10, 950],
        [20, 950],
      ],
      mark: [
        [0, 1000],
        [15, 909],
      ],
    },
    deposit: '101',
    steps: [{ at: 1, id: 'a', open: 'long' }],
    // 100 - 50 - 4.75
    expect: ['1 a open long 1@1000 taker', '15 liquidated burst long 1@950 4.75'],
    total: '45.25',
    frozen: '0',
    insurance: '4.75',
  },
  {
    title: 'all data of one time is applied before margin is checked: a new mark prevents a liquidation by an old one',
    ...ten,
    data: {
      ticker: [
        [0, 1000],
        [70, 905],
        [80, 950],
      ],
      mark: [
        [0, 1000],
        [70, 950],
      ],
    },
    deposit: '101',
    steps: [{ at: 1, id: 'a', open: 'long' }],
    // The mark of 0 is too old at 70; at 905 the balance would be 5 against 9.05, at the mark of 950 it is 50.
    expect: ['1 a open long 1@1000 taker'],
    total: '100',
    frozen: '100',
    held: { long: 1 },
  },
  {
    title: 'auto-append: margin moves from the shared collateral before anything is closed',
    takerFee: '0.001',
    makerFee: '0.0005',
    margin: { mode: 'isolated', leverage: '10', autoAppend: true },
    ...falls(1000, 909, 909),
    deposit: '500',
    steps: [{ at: 1, id: 'a', open: 'long' }],
    // The balance of 9 is brought back to 100: 91 more
    expect: ['1 a open long 1@1000 taker'],
    total: '499',
    frozen: '191',
    held: { long: 1 },
  },
];
