import { availableParallelism } from 'node:os';

// Tests make golden figures in temporary folders, which `checkGolden` refuses on a build server.
delete process.env.CI;

/** `scripts/test.mjs` says which: all, those that take long, or the others. */
const { TESTS = 'all' } = process.env;

export default {
  testEnvironment: '<rootDir>/test/support/environment.mjs',
  roots: ['<rootDir>/test'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'es6' } }],
  },
  moduleNameMapper: { '^tidegate$': '<rootDir>/src/index.ts', '^fast-check$': '<rootDir>/test/support/fast-check.mjs' },
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  // More files at a time than cores: tests of running bots mostly wait for the wall clock. jest's default leaves a core idle.
  maxWorkers: availableParallelism() + 1,
  // What ES modules leave behind in a worker slows everything after it down: beyond this a new one takes over.
  workerIdleMemoryLimit: '600MB',
  // The one limit, for tests and hooks. It ends what hangs; a machine that is many times slower than an idle one stays below it.
  testTimeout: 1_200_000,
  testMatch: TESTS === 'slow' ? ['**/*.slow.test.ts'] : ['**/*.test.ts'],
  testPathIgnorePatterns: TESTS === 'quick' ? ['\\.slow\\.test\\.ts$'] : [],
};
