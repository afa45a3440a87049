// The bare loop that every ratio is against. Frozen: it changes only if the work that it stands for changes.
// Two averages of bid + ask; buy at the ask when the fast one is above and we are flat, sell at the bid when
// it is below and we hold; fees; exact cash in integers; equity at the mid and its drawdown on every quote.

/** Cash is counted in 1 / CASH_SCALE of (tick x step), so that a fee of FEE / CASH_SCALE of it is whole. */
export const CASH_SCALE = 10_000;
export const FEE = 5;

/**
 * @param {Float64Array} bids ticks @param {Float64Array} asks ticks
 * @param {{ fast: number, slow: number, steps: number, cash: number }} settings cash in tick x step
 */
export function bareQuotes(bids, asks, { fast, slow, steps, cash: startCash }) {
  const fastWindow = new Float64Array(fast);
  const slowWindow = new Float64Array(slow);
  let fastSum = 0;
  let slowSum = 0;
  let fastAt = 0;
  let slowAt = 0;
  let seen = 0;
  let cash = startCash * CASH_SCALE;
  let held = 0;
  let peak = Number.NEGATIVE_INFINITY;
  let maxDrawdown = 0;
  let fills = 0;
  let checksum = 0;
  let equity = startCash;
  for (let i = 0; i < bids.length; i++) {
    const bid = bids[i];
    const ask = asks[i];
    const price = bid + ask;
    fastSum += price - fastWindow[fastAt];
    fastWindow[fastAt] = price;
    fastAt = fastAt + 1 === fast ? 0 : fastAt + 1;
    slowSum += price - slowWindow[slowAt];
    slowWindow[slowAt] = price;
    slowAt = slowAt + 1 === slow ? 0 : slowAt + 1;
    seen++;
    equity = cash / CASH_SCALE + (held * price) / 2;
    if (equity >= peak) peak = equity;
    else {
      const drawdown = 1 - equity / peak;
      if (drawdown > maxDrawdown) maxDrawdown = drawdown;
    }
    if (seen < slow) continue;
    const difference = fastSum * slow - slowSum * fast;
    if (difference > 0 && held === 0) {
      cash -= ask * steps * (CASH_SCALE + FEE);
      held = steps;
      fills++;
      checksum = (checksum * 31 + ask) % 1_000_000_007;
    } else if (difference < 0 && held > 0) {
      cash += bid * steps * (CASH_SCALE - FEE);
      held = 0;
      fills++;
      checksum = (checksum * 31 + bid) % 1_000_000_007;
    }
  }
  const last = bids.length - 1;
  // Twice the equity, in 1 / CASH_SCALE of (tick x step): whole, so that it can be compared to the digit.
  const equityTwice = 2 * cash + held * (bids[last] + asks[last]) * CASH_SCALE;
  return { fills, checksum, equityTwice, maxDrawdown };
}
