import { CASH_SCALE } from '../bare-quotes.mjs';

/** Throws unless the engine's fills and equity are the bare loop's, to the digit. */
export function agree(bare, run) {
  let checksum = 0;
  for (const fill of run.recorder.fills) checksum = (checksum * 31 + fill.priceTicks) % 1_000_000_007;
  const equityTwice = run.state.portfolio
    .exactEquity()
    .times(2 * CASH_SCALE)
    .toFixed();
  const same = run.recorder.fills.length === bare.fills && checksum === bare.checksum && equityTwice === String(bare.equityTwice);
  if (run.failure !== undefined) throw run.failure.error;
  if (!same || Math.abs(run.state.portfolio.drawdown.depth - bare.maxDrawdown) > 1e-12) {
    throw new Error(
      `engine and bare loop differ: ${run.recorder.fills.length} and ${bare.fills} fills, equity x2 ${equityTwice} and ${bare.equityTwice}`,
    );
  }
}
