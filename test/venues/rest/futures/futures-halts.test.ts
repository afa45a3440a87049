import { expect, test } from '@jest/globals';
import type { HealthChanged } from '../../../../src/model/account-events.ts';
import { Decimal } from '../../../../src/model/decimal.ts';
import type { GridsThere } from '../../../../src/venues/reconcile/halts.ts';
import { RECONCILE_DEFAULTS } from '../../../../src/venues/reconcile/settings.ts';
import { FuturesHalts } from '../../../../src/venues/rest/futures/order-ends.ts';
import { SAME_GRIDS } from '../../../../src/venues/rest/listed-grids.ts';
import { T0 } from '../../../builders.ts';
import { SimClock } from '../../../faults/sim-clock.ts';
import { SILENT } from '../../../faults/world.ts';
import { PERP } from '../../../state/builders.ts';

const textOf = ({ condition, reason, grid }: HealthChanged) => `${condition}: ${reason}${grid === undefined ? '' : ` (${grid.steps})`}`;

/** One life of the halts, going on from the memory, and from what was halted. */
function life(memory: Map<string, unknown>, halted: ReadonlyMap<string, string> = new Map(), grids: GridsThere = SAME_GRIDS) {
  const told: string[] = [];
  const halts = new FuturesHalts(
    { ...RECONCILE_DEFAULTS, foreign: 'block', unexplained: 'halt' },
    {
      clock: new SimClock(T0),
      log: SILENT,
      memory: {
        remember: (key, value) => void memory.set(key, value),
        recall: (key) => memory.get(key),
        request() {},
        reply() {},
      },
      report: (event) => void (event.kind === 'healthChanged' && told.push(textOf(event))),
      settled() {},
      fail() {},
    },
    grids,
  );
  halts.resume([PERP], halted);
  const review = () => {
    halts.review([PERP], []);
    return told.splice(0);
  };
  return { halts, review };
}

test.each([
  ['orders that are not ours trade it', (halts: FuturesHalts) => halts.foreign(PERP)],
  ['2.5 USDT of the futures wallet that nothing explains', (halts: FuturesHalts) => halts.unexplained('USDT', new Decimal('2.5'))],
])('a contract halted because %s stays so over restarts, until a reset', (reason, cause) => {
  const memory = new Map<string, unknown>();
  const first = life(memory);
  expect(first.review()).toEqual([]);
  cause(first.halts);
  expect(first.review()).toEqual([`halted: ${reason}`]);
  const second = life(memory, new Map([[PERP.symbol, reason]]));
  expect(second.review()).toEqual([]);
  second.halts.lift();
  expect(second.review()).toEqual(['fresh: reset']);
  const third = life(memory);
  expect(third.review()).toEqual([]);
  cause(third.halts);
  expect(third.review()).toEqual([`halted: ${reason}`]);
});

test('a halt without a cause from an earlier version is lifted at the first look without one', () => {
  expect(life(new Map(), new Map([[PERP.symbol, 'odd']])).review()).toEqual(['fresh: known again']);
});

test('a changed grid halts as long as it differs, with every other reason, and a reset does not end it', () => {
  let steps = 0;
  const grids = { of: () => (steps === 0 ? undefined : { grid: { ticks: 1, steps, leastSteps: steps }, reason: `step ${steps}` }) };
  const { halts, review } = life(new Map(), new Map(), grids);
  expect(review()).toEqual([]);
  steps = 10;
  expect(review()).toEqual(['halted: step 10 (10)']);
  expect(review()).toEqual([]);
  halts.stick(PERP, 'odd');
  expect(review()).toEqual(['halted: odd; step 10 (10)']);
  // The engine learns of the new grid although the instrument is halted for another reason.
  steps = 20;
  expect(review()).toEqual(['halted: odd; step 20 (20)']);
  halts.lift();
  expect(review()).toEqual(['halted: step 20 (20)']);
  steps = 0;
  expect(review()).toEqual(['fresh: known again']);
});
