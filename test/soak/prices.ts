import type { RunningCore } from '../../src/local-exchange/core/running-core.ts';
import type { Instrument } from '../../src/model/instrument.ts';
import type { Random } from '../../src/model/random.ts';
import type { Clock } from '../../src/ports/clock.ts';

const EVERY_MS = 30_000;
/** How far a move goes, and how strongly prices come back to where they began: a week does not lead them away. */
const MOVE = 0.001;
const BACK = 0.000_5;

/** Trades of small size around a walk, marks and funding: for as long as the clock goes. */
export function movePrices(
  { instruments, core, clock }: { readonly instruments: readonly Instrument[]; readonly core: RunningCore; readonly clock: Clock },
  random: Random,
): void {
  const home = instruments.map(({ base, contract }) => (base === 'BTC' ? 6_000_000 : 300_000) / (contract === undefined ? 1 : 10));
  const ticks = [...home];
  const move = () => {
    for (const { index, contract } of instruments) {
      const at = ticks[index]!;
      ticks[index] = Math.round(at * (1 + (random.uniform() - 0.5) * MOVE) + (home[index]! - at) * BACK);
      core.act('price', ['trade', index, ticks[index]!, Math.ceil(random.uniform() * 120), random.uniform() < 0.5 ? 1 : -1]);
      if (contract === undefined) continue;
      if (random.uniform() < 0.1) core.act('price', ['mark', index, ticks[index]! + Math.round((random.uniform() - 0.5) * 20), 1]);
      if (random.uniform() < 0.001) core.act('price', ['funding', index, ((random.uniform() - 0.5) * 0.001).toFixed(6)]);
    }
    clock.schedule(clock.now() + EVERY_MS, move);
  };
  move();
}
