import { expect, test } from '@jest/globals';
import { judgedStudy, patterns, planted, randomRules, randomWalk } from './studies.ts';

test.each([1, 2, 3])('the best of 40 random rules over a random walk of three years is luck (study %i)', async (seed) => {
  const { verdict, trials } = await judgedStudy(randomWalk(seed, 1095), 'rules', randomRules(seed, 40));
  expect([trials.tried, verdict.word]).toEqual([40, 'luck']);
});

test.each([1, 2, 3])('a rule with a true Sharpe ratio of 4 is found as skill among 40 over three years (study %i)', async (seed) => {
  const { verdict, computed } = await judgedStudy(planted(seed, 1095, 4), 'patterns', patterns(seed, 40));
  expect(verdict.word).toBe('skill');
  // The standard error of a Sharpe ratio over three years is 0.6.
  expect(Math.abs(computed!.sharpe.annualSharpe - 4)).toBeLessThan(1.8);
});
