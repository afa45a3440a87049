import { readConfig } from '../../config/load-config.ts';
import { type Check, ok, warning } from '../check.ts';

export const enabled: Check = {
  id: 'enabled',
  title: 'orders may go to the exchange',
  modes: ['live'],
  needs: ['config'],
  mend: 'set live.enabled to true or false',
  run({ path, set, machine: { environment } }) {
    const { value } = readConfig(path, { set, env: environment });
    const { enabled: isEnabled } = (value.live ?? {}) as { enabled?: unknown };
    if (isEnabled === true) return ok('live.enabled is true');
    return warning('live.enabled is not true: `tidegate live` will refuse', 'set it to true when you mean it');
  },
};
