import { expect, test } from '@jest/globals';
import { Random } from '../../../../src/model/random.ts';
import { BTC, ETH, World, type WorldOptions } from './world.ts';

const ROUNDS = 40;
const SEEDS = Array.from({ length: Number(process.env.SEEDS ?? 2) }, (_, index) => index + 1);
const CASES: readonly [name: string, options: WorldOptions][] = [
  ['shared, flat positions and ended orders are dropped', {}],
  ['shared, everything stays listed', { lists: { keepFlatPositions: true, keepTerminalOrders: true } }],
  ['isolated', { margin: { mode: 'isolated' } }],
  ['separated', { margin: { separated: true } }],
  [
    'lost replies and late lists',
    {
      faults: {
        visibilityLagMs: 1_500,
        rules: [
          { fault: 'dropReply', operations: ['triggerOrder', 'cancelFuturesOrder'], chance: 0.1 },
          { fault: 'failAfter', operations: ['triggerOrder', 'cancelFuturesOrder'], chance: 0.1 },
        ],
      },
    },
  ],
];

/** Orders, prices, funding, cancels and restarts as they come, then calm until everything is proved. */
async function live(options: WorldOptions, seed: number): Promise<World> {
  const world = await World.start(options);
  const random = new Random(seed, 'futures');
  const draw = (least: number, most: number) => Math.floor(random.between(least, most + 1));
  for (let round = 0; round < ROUNDS; round++) {
    const chance = random.uniform();
    const instrument = random.uniform() < 0.7 ? BTC : ETH;
    const last = instrument === BTC ? 1_000 : 500;
    if (chance < 0.5) {
      const positionSide = random.uniform() < 0.5 ? 'long' : 'short';
      const opens = random.uniform() < 0.6;
      const triggerTicks = random.uniform() < 0.5 ? world.local.exchange.exchange.market.view(instrument).lastTicks : last + draw(-80, 80);
      const priceTicks = random.uniform() < 0.3 ? triggerTicks + draw(-5, 5) : undefined;
      const side = opens === (positionSide === 'long') ? 'buy' : 'sell';
      world.place({
        instrument,
        positionSide,
        side,
        triggerTicks,
        priceTicks,
        type: priceTicks === undefined ? 'market' : 'limit',
        steps: draw(1, 400) * 100,
      });
    } else if (chance < 0.75) world.price(instrument, String((last + draw(-90, 90)) / 10));
    else if (chance < 0.8) world.funding(instrument, random.uniform() < 0.5 ? '0.0001' : '-0.0003');
    else if (chance < 0.9) {
      const open = [...world.state.openOrders.values()].filter(({ cancelRequested }) => !cancelRequested);
      const order = open[draw(0, open.length - 1)];
      if (order !== undefined) world.cancel(order.clientOrderId);
    } else if (chance < 0.95) await world.boot().catch(() => world.boot());
    await world.rounds(draw(0, 2));
  }
  await world.rounds(60, true);
  return world;
}

for (const [name, options] of CASES) {
  test.each(SEEDS)(`reports exactly the actions of the exchange: ${name}, seed %i`, async (seed) => {
    const world = await live(options, seed);
    const { truth, told, warnings } = world;
    await world.close();
    const ids = world.of('orderFilled').map(({ fill }) => fill.fillId);
    expect({ ...told, warnings, repeated: ids.length - new Set(ids).size }).toMatchObject({
      total: truth.total,
      steps: truth.steps,
      unexplained: '0',
      filled: truth.filled,
      warnings: [],
      repeated: 0,
    });
  });
}
