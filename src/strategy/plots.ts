import { PLOT_COLORS, PLOT_STYLES, type Plot, type PlotColor, type PlotStyle, type Plots, PRICE_PANE } from '../ports/plots.ts';

/** How a plot is drawn. The first call of a plot decides; later calls may leave all of it out. */
export interface PlotOptions {
  /** `price` (the default) is over the candles; any other name is a pane below them, which plots of the same name share. */
  readonly pane?: string | undefined;
  /** `line` (the default), `step`, `points` or `bars`. */
  readonly style?: PlotStyle | undefined;
  /** By default, each plot gets the next colour that no other plot of the symbol has. */
  readonly color?: PlotColor | undefined;
  /** One of the strategy's symbols or references; by default its first symbol. */
  readonly symbol?: string | undefined;
}

/** The most letters of the name of a plot or a pane. */
const MOST_LETTERS = 40;
/** The most plots of one strategy for one symbol: names are meant to be few and fixed. */
const MOST_PLOTS = 32;

const OPTIONS = ['pane', 'style', 'color', 'symbol'] as const satisfies readonly (keyof PlotOptions)[];

function isOption(key: string): key is keyof PlotOptions {
  return (OPTIONS as readonly string[]).includes(key);
}

/** The plots of one strategy: checks each call, and passes its value on. */
export class OwnPlots {
  /** By symbol and name. */
  readonly #plots = new Map<string, Map<string, Plot>>();

  constructor(
    private readonly strategyId: string,
    private readonly symbols: readonly string[],
    private readonly references: readonly string[],
    private readonly out: Plots,
    /** Throws. */
    private readonly wrong: (text: string) => never,
  ) {}

  add(name: string, time: number, value: number | null | undefined, options: PlotOptions | undefined): void {
    const symbol = options?.symbol ?? this.symbols[0]!;
    const plot = this.#plots.get(symbol)?.get(name) ?? this.#made(name, symbol, options);
    const number = value ?? Number.NaN;
    if (typeof number !== 'number') this.#wrong(name, `expected a number, or undefined for a gap; got ${shown(value)}`);
    this.#compare(plot, options);
    this.out.point(plot, time, Number.isFinite(number) ? number : Number.NaN);
  }

  #made(name: string, symbol: string, options: PlotOptions = {}): Plot {
    if (!isName(name)) this.#wrong(name, `the name of a plot is a text of 1 to ${MOST_LETTERS} letters in one line`);
    if (typeof options !== 'object' || options === null) this.#wrong(name, `expected options as an object; got ${shown(options)}`);
    const { pane = PRICE_PANE, style = 'line', color } = options;
    if (!isName(pane)) this.#wrong(name, `the name of a pane is a text of 1 to ${MOST_LETTERS} letters in one line; got ${shown(pane)}`);
    if (!PLOT_STYLES.includes(style)) this.#wrong(name, `style: expected ${PLOT_STYLES.join(', ')}; got ${shown(style)}`);
    if (style === 'bars' && pane === PRICE_PANE) this.#wrong(name, 'style: bars start at zero, so give them a pane other than "price"');
    if (color !== undefined && !PLOT_COLORS.includes(color))
      this.#wrong(name, `color: expected ${PLOT_COLORS.join(', ')}; got ${shown(color)}`);
    const known = [...this.symbols, ...this.references];
    if (!known.includes(symbol)) this.#wrong(name, `symbol: expected ${known.join(', ')}; got ${shown(symbol)}`);
    const ofSymbol = this.#plots.get(symbol) ?? new Map<string, Plot>();
    if (ofSymbol.size >= MOST_PLOTS)
      this.#wrong(name, `${symbol} has ${MOST_PLOTS} plots already, which is the most; a name must not change with the data`);
    const plot: Plot = { strategyId: this.strategyId, symbol, name, pane, style, color };
    this.#plots.set(symbol, ofSymbol.set(name, plot));
    return plot;
  }

  /** A plot keeps the options of its first call. */
  #compare(plot: Plot, options: PlotOptions | undefined): void {
    for (const key in options) {
      if (!isOption(key)) this.#wrong(plot.name, `no option "${key}"; expected ${OPTIONS.join(', ')}`);
      const now = options[key];
      if (now === undefined || now === plot[key]) continue;
      this.#wrong(plot.name, `${key}: was ${shown(plot[key] ?? 'left out')} in its first call, and is now ${shown(now)}`);
    }
  }

  #wrong(name: unknown, text: string): never {
    return this.wrong(`plot(${shown(name)}): ${text}`);
  }
}

function isName(name: unknown): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it refuses.
  return typeof name === 'string' && name.trim() !== '' && name.length <= MOST_LETTERS && !/[\u0000-\u001f\u007f]/.test(name);
}

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 2 * MOST_LETTERS));
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  return typeof value === 'function' ? 'a function' : String(value);
}
