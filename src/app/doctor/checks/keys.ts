import { BUDGET_DEFAULTS } from '../../../exchange/budget/budget-settings.ts';
import { WeightBudget } from '../../../exchange/budget/weight-budget.ts';
import { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import { SystemClock } from '../../../venues/rest/system-clock.ts';
import { accessOf } from '../../exchange/access-settings.ts';
import { type Check, failed, ok } from '../check.ts';

const MEND = 'set TIDEGATE_API_KEY, _SECRET and _PASSPHRASE, or TIDEGATE_KEYS_FILE (a JSON file of mode 600), or live.keys';

export const keys: Check = {
  id: 'keys',
  title: 'there are keys, and places to send them to',
  modes: ['live'],
  needs: ['config'],
  mend: MEND,
  run(patient) {
    const { config } = patient.loaded;
    const access = accessOf({}, patient.machine.environment, config.live);
    const { credentials, spotBaseUrl, contractBaseUrl, locale } = access;
    if (credentials === undefined) return failed('no keys', MEND);
    const symbols = Object.keys(config.instruments);
    const isContract = (symbol: string) => symbol.endsWith('-PERP');
    const lacking = [
      ...(spotBaseUrl === undefined && !symbols.every(isContract) ? ['live.spotBaseUrl'] : []),
      ...(contractBaseUrl === undefined && symbols.some(isContract) ? ['live.contractBaseUrl'] : []),
    ];
    if (lacking.length > 0) return failed(`${lacking.join(' and ')} missing`, 'name the URLs of the exchange');
    const clock = new SystemClock();
    patient.access = access;
    patient.client = new ExchangeClient({
      clock,
      budget: new WeightBudget(clock, { ...BUDGET_DEFAULTS, ...config.live?.budget }),
      credentials,
      random: Math.random,
      settings: { ...config.live?.timeouts, spotBaseUrl, contractBaseUrl, ...(locale === undefined ? {} : { locale }), readAttempts: 1 },
    });
    return ok(`account ${credentials.accountId} (a hash of the key)`);
  },
};
