import type * as Charts from 'lightweight-charts';

/** The charting library: a classic script of its own on the page, with its licence notice. */
declare const LightweightCharts: typeof Charts;
export const library = LightweightCharts;
