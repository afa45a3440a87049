import { random } from './random.mjs';

const START_TIME = Date.UTC(2025, 0, 1);
const MESSAGE_MS = 44;
const LEVELS = 20;

/** Growing columns of rows. */
class Rows {
  at = 0;

  constructor(count, columns) {
    this.time = new Float64Array(count);
    this.columns = Array.from({ length: columns }, () => new Float64Array(count));
  }

  get full() {
    return this.at >= this.time.length;
  }

  add(time, ...values) {
    if (this.full) return;
    this.time[this.at] = time;
    for (let column = 0; column < values.length; column++) this.columns[column][this.at] = values[column];
    this.at++;
  }

  done() {
    return { time: this.time.subarray(0, this.at), columns: this.columns.map((column) => column.subarray(0, this.at)) };
  }
}

/**
 * A seeded order book in the shape of five recorded ones (of spot and futures, 23 messages of 33 levels a second, 31 trades, small beside the
 * best levels): a snapshot of 20 levels a side, then every 44 ms a message of some 33 changed levels, and between two messages up to three trades
 * against the best level. The middle walks by a tick.
 */
export function makeDepth(count, seed) {
  const draw = random(seed);
  const depth = new Rows(count, 6);
  const trades = new Rows(count, 3);
  const size = () => 100 + Math.floor(draw() * 300);
  let [time, middle, update] = [START_TIME, 1_000_000, 1];
  const level = (side, distance, steps, snapshot) =>
    depth.add(time, side, side > 0 ? middle - 1 - distance : middle + distance, steps, snapshot, update, update - 1);
  for (let distance = 0; distance < LEVELS; distance++) for (const side of [1, -1]) level(side, distance, size(), 1);
  while (!depth.full) {
    update++;
    time += MESSAGE_MS;
    const move = draw();
    // The best level of one side goes, and a new best one comes on the other.
    if (move < 0.1) {
      level(-1, 0, 0, 0);
      middle++;
      level(1, 0, size(), 0);
      level(-1, LEVELS - 1, size(), 0);
    } else if (move < 0.2) {
      level(1, 0, 0, 0);
      middle--;
      level(-1, 0, size(), 0);
      level(1, LEVELS - 1, size(), 0);
    }
    const changes = 24 + Math.floor(draw() * 17);
    for (let change = 0; change < changes; change++) level(draw() < 0.5 ? 1 : -1, Math.floor(draw() ** 2 * LEVELS), size(), 0);
    for (let trade = Math.floor(draw() * 3.7); trade > 0; trade--) {
      const side = draw() < 0.5 ? 1 : -1;
      trades.add(time + MESSAGE_MS / 2, side > 0 ? middle : middle - 1, 1 + Math.floor(draw() * 15), side);
    }
  }
  return { depth: depth.done(), trades: trades.done() };
}

const FLAT = 1 << 21;

/** The bare loop: the same rows into one flat array a side, its best prices kept. */
export function bareDepth({ time, columns: [sides, prices, steps] }) {
  const bids = new Float64Array(FLAT);
  const asks = new Float64Array(FLAT);
  let [bestBid, bestAsk, checksum] = [0, FLAT - 1, 0];
  for (let row = 0; row < time.length; row++) {
    const price = prices[row];
    const now = steps[row];
    if (sides[row] > 0) {
      bids[price] = now;
      if (now > 0 && price > bestBid) bestBid = price;
      else while (bestBid > 0 && bids[bestBid] === 0) bestBid--;
    } else {
      asks[price] = now;
      if (now > 0 && price < bestAsk) bestAsk = price;
      else while (bestAsk < FLAT - 1 && asks[bestAsk] === 0) bestAsk++;
    }
    checksum += bestAsk - bestBid;
  }
  return { bestBid, bestAsk, checksum };
}
