import type { Check } from './check.ts';
import type { BarAtFill, DiagnosisContext } from './diagnosed.ts';
import { money, percent } from './figure-text.ts';

/** More of a bar's volume moves the price by itself. */
const LARGE_SHARE = 0.1;
const FEWEST_FILLS = 20;
/** Room to grow tenfold before the average order is too large. */
const ROOM = 10;

/** Own size against that of the market. Recordings of bars alone tell it, and only those that have volumes. */
export const VOLUME_CHECKS = [
  {
    id: 'sizeAgainstVolume',
    title: 'Orders are large for the volume',
    speaks: `own fills in one bar are ${percent(LARGE_SHARE)} of its volume; critical from 100 %`,
    why: 'An order of that size moves the price, or is not filled at all: the simulator does neither unless told.',
    advice: 'Trade smaller, or set `backtest.fills.barVolumeShare`.',
    ask: ({ context }) => {
      const shares = volumeShares(context);
      const large = shares.filter((share) => share >= LARGE_SHARE);
      if (large.length === 0) return undefined;
      const largest = large.reduce((most, share) => Math.max(most, share), 0);
      return {
        severity: largest < 1 ? 'warning' : 'critical',
        figures: {
          bars: String(large.length),
          ofBars: String(shares.length),
          largest: Number.isFinite(largest) ? percent(largest) : 'a bar without volume',
        },
      };
    },
  },
  {
    id: 'littleRoom',
    title: 'Little room to grow',
    speaks: `over at least ${FEWEST_FILLS} bars with own fills, these are on average more than ${percent(LARGE_SHARE / ROOM)} of the volume: at ${ROOM} times the capital they would be ${percent(LARGE_SHARE)}`,
    why: 'The result cannot be scaled to much more money than it was made with.',
    advice: `Hold no more equity than \`room\`: beyond it own fills are on average ${percent(LARGE_SHARE)} of their bars (the capacity of the statistics goes by whole days). Spread orders over more time or more symbols.`,
    ask: ({ record: { startEquity, currency }, context }) => {
      const shares = volumeShares(context).filter(Number.isFinite);
      if (shares.length < FEWEST_FILLS) return undefined;
      const average = shares.reduce((sum, share) => sum + share, 0) / shares.length;
      if (average <= LARGE_SHARE / ROOM) return undefined;
      const room = startEquity.times(LARGE_SHARE).div(average);
      return { severity: 'info', figures: { averageShare: percent(average), room: money(room, currency) } };
    },
  },
] as const satisfies readonly Check[];

/** What own fills took of each bar that they happened in; nothing where no bar has a volume. */
function volumeShares({ bars }: DiagnosisContext): number[] {
  const taken = new Map<BarAtFill, number>();
  for (const [fill, bar] of bars) taken.set(bar, (taken.get(bar) ?? 0) + fill.quantity);
  if ([...taken.keys()].every(({ volume }) => volume === 0)) return [];
  return [...taken].map(([bar, quantity]) => quantity / bar.volume);
}
