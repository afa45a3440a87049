/** The styles of a plot. `bars` start at zero; `step` keeps each value until the next one. */
export const PLOT_STYLES = ['line', 'step', 'points', 'bars'] as const;
export type PlotStyle = (typeof PLOT_STYLES)[number];

/** The colours of a plot. Each has a shade for light pages and one for dark pages. */
export const PLOT_COLORS = ['purple', 'orange', 'teal', 'blue', 'gold', 'red', 'gray'] as const;
export type PlotColor = (typeof PLOT_COLORS)[number];

/** The pane over the candles. */
export const PRICE_PANE = 'price';

/** One curve of a strategy. A strategy has one of each name for each symbol. */
export interface Plot {
  readonly strategyId: string;
  readonly symbol: string;
  readonly name: string;
  /** `price`, or the name of a pane of its own below the candles. */
  readonly pane: string;
  readonly style: PlotStyle;
  /** Undefined: the page chooses one. */
  readonly color?: PlotColor | undefined;
}

/** Receives the values that strategies plot. They are for people: no decision and no hash depends on them. */
export interface Plots {
  /**
   * A plot is always the same object in a run. Times, in epoch ms, never go back; of several values at one time, the last one counts.
   * @param value `NaN` is a gap.
   */
  point(plot: Plot, time: number, value: number): void;
}
