import { random } from './random.mjs';

const START_TIME = Date.UTC(2025, 0, 1);

/** A seeded walk of quotes, in ticks and steps: the columns of a recording, without the recording. */
export function makeQuotes(count, seed, offsetMs = 0) {
  const draw = random(seed);
  const time = new Float64Array(count);
  const [bids, asks, bidSteps, askSteps] = [0, 1, 2, 3].map(() => new Float64Array(count));
  let ticks = 1_000_000;
  let drift = 0;
  for (let i = 0; i < count; i++) {
    drift = drift * 0.995 + (draw() - 0.5) * 0.4;
    ticks = Math.max(500_000, ticks + Math.round((draw() - 0.5) * 6 + drift));
    time[i] = START_TIME + offsetMs + i * 100;
    bids[i] = ticks;
    asks[i] = ticks + 1 + Math.floor(draw() * 3);
    bidSteps[i] = 1_000 + Math.floor(draw() * 5_000);
    askSteps[i] = 1_000 + Math.floor(draw() * 5_000);
  }
  return { time, columns: [bids, asks, bidSteps, askSteps] };
}

/** One chunk after another, as a recording's reader gives them, without the reading. */
export function rowsOf({ time, columns }, chunk = 65_536) {
  let at = 0;
  return {
    length: 0,
    time: undefined,
    columns: [],
    nanos: undefined,
    next() {
      if (at >= time.length) return false;
      const end = Math.min(time.length, at + chunk);
      this.time = time.subarray(at, end);
      this.columns = columns.map((column) => column.subarray(at, end));
      this.length = end - at;
      at = end;
      return true;
    },
    close() {},
  };
}

/** The mark beside quotes: near their middle, in hundredths of a tick. */
export function makeMarks({ time, columns: [bids, asks] }, every) {
  const count = Math.floor(time.length / every);
  const units = new Float64Array(count);
  const times = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    times[i] = time[i * every];
    units[i] = Math.round(((bids[i * every] + asks[i * every]) / 2) * 100) + ((i * 7) % 100);
  }
  return { time: times, columns: [units] };
}

/** Funding every hour, in millionths. */
export function makeFundings({ time }, seed) {
  const draw = random(seed);
  const hours = Math.floor((time.at(-1) - START_TIME) / 3_600_000);
  return {
    time: Float64Array.from({ length: hours }, (_, hour) => START_TIME + (hour + 1) * 3_600_000),
    columns: [Float64Array.from({ length: hours }, () => Math.floor(draw() * 300) - 100)],
  };
}
