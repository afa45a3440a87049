import { expect, test } from '@jest/globals';
import { EMPTY, tap } from 'rxjs';
import { simulateRun } from '../../src/app/backtest/simulate-run.ts';
import type { Plot, Plots } from '../../src/ports/plots.ts';
import type { PlotOptions } from '../../src/strategy/plots.ts';
import { BTC, bars, ETH, MINUTE, plan, type Script, type Scripted, strategy, T0 } from './builders.ts';

class Seen implements Plots {
  readonly points: [plot: Plot, time: number, value: number][] = [];

  point(plot: Plot, time: number, value: number): void {
    this.points.push([plot, time, value]);
  }

  get values(): string[] {
    return this.points.map(([{ name }, time, value]) => `${(time - T0) / MINUTE} ${name} ${value}`);
  }
}

async function plotted(script: Script, id = 'a') {
  const seen = new Seen();
  const scripted = { symbols: ['BTC-USDT', 'ETH-USDT'], ...script };
  const data = [bars([10, 20, 30]), bars([1, 2, 3], { of: ETH })];
  const { failure, eventLogSha256 } = await simulateRun({ ...plan([strategy(id, scripted)], { data }), plots: seen });
  const silent = await simulateRun(plan([strategy(id, scripted)], { data }));
  return { seen, failure, eventLogSha256, silent };
}

/** The message of a run whose first bar makes these calls. */
async function refusal(...calls: readonly (readonly unknown[])[]): Promise<string> {
  const onBar = (_: unknown, me: Scripted) => {
    for (const call of calls) (me.plot as (...parts: unknown[]) => void)(...call);
  };
  const { failure, silent } = await plotted({ onBar });
  // Nobody looks at the second run.
  expect(silent.failure).toBeUndefined();
  const { error } = failure!;
  expect(error).toMatchObject({ code: 'STRATEGY_THREW' });
  return (error as Error).message;
}

test('a value has the time of its hook, its strategy, and the first symbol of the strategy', async () => {
  const { seen } = await plotted({
    onStart: (me) => me.plot('start', 1),
    onBar: ({ symbol, close }, me) =>
      symbol === BTC.symbol ? me.plot('close', close, { pane: 'own', style: 'bars', color: 'red' }) : undefined,
    onStop: (me) => me.plot('stop', 2),
  });
  expect(seen.values).toEqual(['0 start 1', '1 close 10', '2 close 20', '3 close 30', '3 stop 2']);
  expect(seen.points[1]![0]).toEqual({
    ...{ strategyId: 'a', symbol: 'BTC-USDT', name: 'close', pane: 'own', style: 'bars', color: 'red' },
  });
  expect(seen.points[0]![0]).toEqual({
    ...{ strategyId: 'a', symbol: 'BTC-USDT', name: 'start', pane: 'price', style: 'line', color: undefined },
  });
});

test('each symbol has its own plot of a name; a plot is one object for the whole run', async () => {
  const { seen } = await plotted({ onBar: ({ symbol, close }, me) => me.plot('close', close, { symbol }) });
  const plots = [...new Set(seen.points.map(([plot]) => plot))];
  expect(plots.map(({ symbol }) => symbol)).toEqual(['BTC-USDT', 'ETH-USDT']);
  expect(seen.points).toHaveLength(6);
});

test('a strategy written as a stream plots too', async () => {
  const seen = new Seen();
  let me: Scripted;
  const script: Script = {
    needs: { bars: '1m' },
    made: (made) => {
      me = made;
    },
    intents$: (market$) => {
      market$.pipe(tap((event) => me.plot('seen', event.sequence))).subscribe();
      return EMPTY;
    },
  };
  await simulateRun({ ...plan([strategy('a', script)], { data: [bars([10, 20])] }), plots: seen });
  expect(seen.values.map((text) => text.replace(/ \d+$/, ''))).toEqual(['1 seen', '2 seen']);
});

test('NaN, infinite numbers, null and undefined are gaps', async () => {
  const values = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, null, undefined];
  const { seen } = await plotted({
    onStart: (me) => {
      for (const value of values) me.plot('x', value);
    },
  });
  expect(seen.points.map(([, , value]) => value)).toEqual(values.map(() => Number.NaN));
});

test('plots are not in the event log, and a run that nobody looks at ignores them', async () => {
  const { seen, eventLogSha256, silent } = await plotted({ onBar: ({ close }, me) => me.plot('close', close) });
  expect(seen.points).not.toHaveLength(0);
  expect(silent.eventLogSha256).toBe(eventLogSha256);
});

const options = (one: object) => one as PlotOptions;

test.each<[why: string, call: readonly unknown[], expected: string]>([
  ['a text as value', ['x', '1'], 'plot("x"): expected a number, or undefined for a gap; got "1"'],
  ['an object as value', ['x', { value: 1 }], 'plot("x"): expected a number, or undefined for a gap; got an object'],
  ['a truth value', ['x', true], 'plot("x"): expected a number, or undefined for a gap; got true'],
  ['no name', ['', 1], 'plot(""): the name of a plot is a text of 1 to 40 letters in one line'],
  ['a name that is no text', [7, 1], 'plot(7): the name of a plot is a text of 1 to 40 letters in one line'],
  ['a name of two lines', ['a\nb', 1], 'plot("a\\nb"): the name of a plot is a text of 1 to 40 letters in one line'],
  ['a style', ['x', 1, options({ style: 'dots' })], 'plot("x"): style: expected line, step, points, bars; got "dots"'],
  ['a colour', ['x', 1, { color: '#ff0000' }], 'plot("x"): color: expected purple, orange, teal, blue, gold, red, gray; got "#ff0000"'],
  ['a pane', ['x', 1, { pane: 3 }], 'plot("x"): the name of a pane is a text of 1 to 40 letters in one line; got 3'],
  ['a symbol', ['x', 1, { symbol: 'SOL-USDT' }], 'plot("x"): symbol: expected BTC-USDT, ETH-USDT; got "SOL-USDT"'],
  ['an option', ['x', 1, { colour: 'red' }], 'plot("x"): no option "colour"; expected pane, style, color, symbol'],
  ['options', ['x', 1, 'red'], 'plot("x"): expected options as an object; got "red"'],
  ['no options', ['x', 1, null], 'plot("x"): expected options as an object; got null'],
  ['bars over prices', ['x', 1, { style: 'bars' }], 'plot("x"): style: bars start at zero, so give them a pane other than "price"'],
])('%s is refused with what is allowed', async (_, call, expected) => {
  expect(await refusal(call)).toContain(`strategy a: ${expected}`);
});

test('a plot keeps the options of its first call', async () => {
  expect(await refusal(['x', 1], ['x', 1, { pane: 'own' }])).toContain('plot("x"): pane: was "price" in its first call, and is now "own"');
  expect(await refusal(['x', 1], ['x', 1, { color: 'red' }])).toContain(
    'plot("x"): color: was "left out" in its first call, and is now "red"',
  );
  expect(await refusal(['x', 1, { style: 'step' }], ['x', 1], ['x', 1, { colour: 1 }])).toContain('plot("x"): no option "colour"');
  const { failure } = await plotted({
    onStart: (me) => {
      me.plot('x', 1, { pane: 'own', style: 'step' });
      me.plot('x', 2);
      me.plot('x', 3, { style: 'step' });
    },
  });
  expect(failure).toBeUndefined();
});

test('a strategy has at most 32 plots for each symbol', async () => {
  const calls = Array.from({ length: 33 }, (_, index) => [`p${index}`, 1]);
  expect(await refusal(...calls)).toContain(
    'plot("p32"): BTC-USDT has 32 plots already, which is the most; a name must not change with the data',
  );
});
