import { random } from './random.mjs';

const MINUTE = 60_000;
const START_TIME = Date.UTC(2023, 0, 1);

/** Seeded one-minute bars in ticks and steps: the columns of a recording. */
export function makeBars(count, seed) {
  const draw = random(seed);
  const time = new Float64Array(count);
  const [opens, highs, lows, closes, volumes] = Array.from({ length: 5 }, () => new Float64Array(count));
  let price = 1_000_000;
  let drift = 0;
  for (let i = 0; i < count; i++) {
    drift = drift * 0.99 + (draw() - 0.5) * 4;
    const open = price;
    price = Math.max(200_000, Math.round(open + (draw() - 0.5) * 400 + drift));
    time[i] = START_TIME + i * MINUTE;
    opens[i] = open;
    closes[i] = price;
    highs[i] = Math.max(open, price) + Math.floor(draw() * 100);
    lows[i] = Math.min(open, price) - Math.floor(draw() * 100);
    volumes[i] = 1 + Math.floor(draw() * 1_000);
  }
  return { time, columns: [opens, highs, lows, closes, volumes] };
}
