import { type Check, failed, ok } from '../check.ts';

export const configCheck: Check = {
  id: 'config',
  title: 'the config is sound',
  mend: 'mend the places that are named; docs/config.md has every key',
  run(patient) {
    const { config } = patient.load();
    const { mode } = patient;
    if (mode !== 'backtest' && config[mode] === undefined) return failed(`it has no section "${mode}"`, `write one: docs/live.md`);
    return ok(`${config.name}: ${config.strategies.length} strategies on ${Object.keys(config.instruments).join(', ')}`);
  },
};
