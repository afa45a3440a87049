import { expect, test } from '@jest/globals';
import { backtestContainer, TOKENS } from '../../src/app/wiring/backtest-container.ts';
import { capabilitiesOf } from '../../src/app/wiring/profiles.ts';
import { Engine } from '../../src/engine/engine.ts';
import { RiskGate } from '../../src/risk/gate.ts';
import { State } from '../../src/state/state.ts';
import { bars, plan, strategy } from './builders.ts';

const journal = { intent() {}, event() {} };
const wired = () => backtestContainer(plan([strategy('a', {})], { data: [bars([100])] }), journal);

test('the wiring of the backtest resolves the engine, its core and its ports', () => {
  const container = wired();
  expect(container.get(TOKENS.engine)).toBeInstanceOf(Engine);
  expect(container.get(TOKENS.state)).toBeInstanceOf(State);
  expect(container.get(TOKENS.gate)).toBeInstanceOf(RiskGate);
  const clock = container.get(TOKENS.clock);
  expect(typeof clock.now()).toBe('number');
  expect(container.get(TOKENS.feed).events$.subscribe).toBeInstanceOf(Function);
  expect(container.get(TOKENS.venue).capabilities).toEqual(capabilitiesOf('full'));
  expect(container.get(TOKENS.journal)).toBe(journal);
});

test('there is one of each in a run, and the ports are the parts of one simulation', () => {
  const container = wired();
  for (const token of [TOKENS.engine, TOKENS.state, TOKENS.gate, TOKENS.desk])
    expect(container.get<unknown>(token)).toBe(container.get<unknown>(token));
  const simulation = container.get(TOKENS.simulation);
  expect(container.get(TOKENS.clock)).toBe(simulation.clock);
  expect(container.get(TOKENS.venue)).toBe(simulation.venue);
  expect(container.get(TOKENS.feed)).toBe(simulation.feed);
});

test('two runs share nothing', () => {
  expect(wired().get(TOKENS.state)).not.toBe(wired().get(TOKENS.state));
});

test.each([
  ['exchange', { marketData: ['bar', 'ticker'], marketBuyByQuantity: false }],
  ['full', { marketData: ['bar', 'quote', 'trade', 'ticker'], marketBuyByQuantity: true }],
] as const)('the profile %s can %j', (profile, capabilities) => {
  expect(capabilitiesOf(profile)).toMatchObject(capabilities);
});
