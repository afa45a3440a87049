import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';

export const RUNS = 7;
const WARM_UPS = 5;
/** Of a case beside the bare loop. */
const BLOCKS = 3;

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
}

/**
 * Median ns of `RUNS` runs after five that warm the JIT; `prepare` is not timed. Garbage is not collected by force in between: compiled
 * code that names objects of the run before dies with them, and each run would begin with compiling anew, as no long replay does.
 */
export async function measure(events, run, prepare = () => undefined, warmUps = WARM_UPS) {
  const times = [];
  let last;
  for (let i = 0; i < warmUps + RUNS; i++) {
    // What weak references name stays alive within one task: without this, every run before.
    await setImmediate();
    const prepared = prepare();
    const started = performance.now();
    last = await run(prepared);
    if (i >= warmUps) times.push(performance.now() - started);
  }
  return { nsPerEvent: (median(times) * 1e6) / events, last };
}

/**
 * The same for a case with the bare loop before and after it; of the case as of the loop the fastest block of runs counts, itself a
 * median. A busy machine slows both by nearly half for up to some seconds, which would blame the case that came then; and taken once, the
 * bare loop was at times twice as slow. In turns with the case it finds its caches cold. Both would flatter us.
 */
export async function measureBeside(bare, { events, run, prepare }) {
  const before = await measure(bare.events, bare.run);
  let fastest = Number.POSITIVE_INFINITY;
  let last;
  for (let block = 0; block < BLOCKS; block++) {
    const measured = await measure(events, run, prepare, block === 0 ? WARM_UPS : 0);
    fastest = Math.min(fastest, measured.nsPerEvent);
    last = measured.last;
  }
  const after = await measure(bare.events, bare.run);
  return { bareNs: Math.min(before.nsPerEvent, after.nsPerEvent), nsPerEvent: fastest, bareLast: before.last, last };
}

export function row(name, events, nsPerEvent, bareNs, detail) {
  return {
    name,
    events,
    nsPerEvent: Number(nsPerEvent.toFixed(2)),
    eventsPerSecond: Math.round(1e9 / nsPerEvent),
    ratioToBare: bareNs === undefined ? null : Number((bareNs / nsPerEvent).toFixed(3)),
    detail,
  };
}
