import { checkSettings } from '../../../venues/rest/futures/expected-settings.ts';
import { plannedAccount } from '../../backtest/planning/account.ts';
import { expectedContracts } from '../../live/bot/expected-contracts.ts';
import { contractTroubles } from '../../live/planning/exchange-checks.ts';
import { type Check, failed, ok, skipped } from '../check.ts';

const MEND = 'set mode and leverage at the exchange as in account.margin and contract.margin, or the other way round';
/** Of the coin that contracts are settled in. */
const USDT = '2';

export const contracts: Check = {
  id: 'contracts',
  title: 'contracts have prices, mode and leverage as the config reckons',
  modes: ['live'],
  needs: ['futures', 'accepted'],
  mend: MEND,
  async run({ exchange, instruments, loaded: { config } }) {
    const own = instruments.filter(({ kind }) => kind === 'futures');
    if (own.length === 0) return skipped('no contract is traded');
    const wrong = await contractTroubles(exchange, own);
    if (wrong.length > 0) return failed(wrong.join('; '), 'trade what the exchange has');
    const { account } = await exchange.futuresAccount({ coinId: USDT });
    checkSettings(
      expectedContracts({ instruments, account: plannedAccount(config) }).filter(({ instrument }) => instrument.quote === 'USDT'),
      account,
    );
    const { create_order_rate_limit_per_minute: most } = account;
    return ok(`${own.map(({ symbol }) => symbol).join(', ')}; ${most === 0 ? 'no limit' : `at most ${most}`} on orders a minute`);
  },
};
