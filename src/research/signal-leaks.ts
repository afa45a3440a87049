/** A column of signals with the prices of one symbol, in which a leak is searched for. */
export interface TestedSignal {
  /** Epoch ms at which a strategy receives each value, rising. */
  readonly times: readonly number[];
  /** A number, or a text as a category; null is left out. */
  readonly values: readonly (number | string | null)[];
  /** Epoch ms from which each price is known, rising, and the prices. */
  readonly priceTimes: readonly number[];
  readonly prices: readonly number[];
}

/** A column that knows more of the future than a forecast can. */
export interface SignalLeak {
  /** Length of the return after the signal that the column knows, in ms. */
  readonly horizonMs: number;
  /** Correlation of ranks of the column, or of its changes, with this return: -1 to 1. */
  readonly correlation: number;
  readonly ofChanges: boolean;
  /** Number of signals that were compared. */
  readonly signals: number;
}

/** Least correlation that is a leak: forecasts of returns that are honest reach a few hundredths. */
const LEAST = 0.3;
/** Least distance from 0 in standard errors, so that chance does not reach it in the number of tests that are made. */
const LEAST_ERRORS = 6;
/** Fewer signals that do not overlap prove nothing. */
const FEWEST = 30;
/** The returns that are compared: multiples of the distance of two prices, and of two signals. */
const MULTIPLES = [1, 2, 5, 10, 20, 60];
/** Above this share, the past return is nearly the signal itself, and nothing can be said beyond it. */
const PAST_EXPLAINS = 0.99;

/**
 * Searches a column for the future: compares the ranks of its values, and of its changes, with those of the returns after the signals.
 * The part that the return before the signal explains is taken out: so a signal that was made from the past is not blamed for prices
 * that swing.
 * @returns the strongest leak; `undefined` if there is none, or if there are too few signals.
 */
export function signalLeak({ times, values, priceTimes, prices }: TestedSignal): SignalLeak | undefined {
  if (prices.length < FEWEST) return undefined;
  const spacing = (all: readonly number[]) =>
    median(
      all
        .slice(1)
        .map((time, index) => time - all[index]!)
        .filter((ms) => ms > 0),
    );
  const kept = values.flatMap((value, index) => (value === null ? [] : [index]));
  const at = kept.map((index) => times[index]!);
  if (at.length < FEWEST) return undefined;
  const every = spacing(at);
  const lengths = [spacing(priceTimes), every].filter((ms) => ms > 0).flatMap((ms) => MULTIPLES.map((multiple) => ms * multiple));
  const horizons = [...new Set(lengths)].sort((one, other) => one - other);
  let strongest: SignalLeak | undefined;
  for (const series of numbersOf(kept.map((index) => values[index]!))) {
    for (const ofChanges of [false, true]) {
      for (const horizonMs of horizons) {
        const rows: { readonly signal: number; readonly after: number; readonly before: number }[] = [];
        // Signals of one time, or within one return, prove no more than one of them.
        let apart = 0;
        let free = Number.NEGATIVE_INFINITY;
        for (let index = 1; index < at.length; index++) {
          const [past, now, later] = [at[index]! - horizonMs, at[index]!, at[index]! + horizonMs].map((time) =>
            priceAt(priceTimes, prices, time),
          );
          if (past === undefined || now === undefined || later === undefined) continue;
          const signal = ofChanges ? series[index]! - series[index - 1]! : series[index]!;
          rows.push({ signal, after: Math.log(later / now), before: Math.log(now / past) });
          if (at[index]! < free) continue;
          apart++;
          free = at[index]! + horizonMs;
        }
        if (apart < FEWEST) continue;
        const correlation = beyondPast(rows);
        const isLeak = Math.abs(correlation) >= LEAST && Math.abs(correlation) * Math.sqrt(apart) >= LEAST_ERRORS;
        if (isLeak && Math.abs(correlation) > Math.abs(strongest?.correlation ?? 0))
          strongest = { horizonMs, correlation, ofChanges, signals: rows.length };
      }
    }
  }
  return strongest;
}

const MOST_CATEGORIES = 10;

/** Numbers as they are; of texts, one series for each of the most frequent ones: 1 where the signal has it. */
function numbersOf(values: readonly (number | string)[]): number[][] {
  if (values.every((value) => typeof value === 'number')) return [values as number[]];
  const counts = new Map<number | string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const names = [...counts].sort((one, other) => other[1] - one[1]).slice(0, MOST_CATEGORIES);
  return names.map(([name]) => values.map((value) => (value === name ? 1 : 0)));
}

/** The newest price that is known at a time, if there is an earlier and a later one. */
function priceAt(times: readonly number[], prices: readonly number[], time: number): number | undefined {
  if (time < times[0]! || time > times.at(-1)!) return undefined;
  let low = 0;
  for (let high = times.length - 1; low < high; ) {
    const middle = (low + high + 1) >> 1;
    if (times[middle]! <= time) low = middle;
    else high = middle - 1;
  }
  return prices[low];
}

/** The correlation of the ranks of signal and later return, without the part that the earlier return explains. */
function beyondPast(rows: readonly { readonly signal: number; readonly after: number; readonly before: number }[]): number {
  const [signal, after, before] = (['signal', 'after', 'before'] as const).map((name) => ranks(rows.map((row) => row[name])));
  const future = correlationOf(signal!, after!);
  const past = correlationOf(signal!, before!);
  const both = correlationOf(before!, after!);
  const rest = (1 - past * past) * (1 - both * both);
  if (past * past > PAST_EXPLAINS || rest <= 0) return 0;
  return (future - past * both) / Math.sqrt(rest);
}

/** The rank of each value; equal values have the mean of their ranks. */
function ranks(values: readonly number[]): Float64Array {
  const order = values.map((_, index) => index).sort((one, other) => values[one]! - values[other]!);
  const found = new Float64Array(values.length);
  for (let from = 0; from < order.length; ) {
    let to = from + 1;
    while (to < order.length && values[order[to]!] === values[order[from]!]) to++;
    for (let place = from; place < to; place++) found[order[place]!] = (from + to - 1) / 2;
    from = to;
  }
  return found;
}

/** Pearson's correlation; 0 if one of them does not vary. */
function correlationOf(one: Float64Array, other: Float64Array): number {
  const mean = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanOne, meanOther] = [mean(one), mean(other)];
  let [both, squareOne, squareOther] = [0, 0, 0];
  for (let index = 0; index < one.length; index++) {
    const [x, y] = [one[index]! - meanOne, other[index]! - meanOther];
    both += x * y;
    squareOne += x * x;
    squareOther += y * y;
  }
  return squareOne === 0 || squareOther === 0 ? 0 : both / Math.sqrt(squareOne * squareOther);
}

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[values.length >> 1] ?? 0;
}
