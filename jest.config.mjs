export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'es6' } }],
  },
  moduleNameMapper: { '^tidegate$': '<rootDir>/src/index.ts' },
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  testTimeout: 60_000,
  testMatch: ['**/*.test.ts'],
};
