import { plannedStrategies } from '../../backtest/planning/strategy-classes.ts';
import { requireProfile } from '../../live/planning/profile-rules.ts';
import { type Check, ok } from '../check.ts';

export const strategies: Check = {
  id: 'strategies',
  title: 'the strategies load, and can be given what they ask for',
  needs: ['config'],
  mend: 'mend the strategy, or its parameters in the config; docs/strategies.md',
  async run({ loaded, mode }) {
    if (mode !== 'backtest') requireProfile(loaded, mode);
    const { strategies: planned, needs } = await plannedStrategies(loaded);
    if (mode !== 'backtest') requireProfile(loaded, mode, needs);
    return ok(planned.map(({ id }) => id).join(', '));
  },
};
