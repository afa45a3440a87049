import type { ExpectedContract } from '../../../venues/rest/futures/margin-binding.ts';
import type { BotPlan } from './bot-plan.ts';

/** Ids of contracts begin here, in the order in which the exchange lists them; seen in public answers of it. */
const FIRST_CONTRACT_ID = 10_000_001;

/** What a futures account's settings at the exchange must be, by the config: contract by contract. */
export function expectedContracts({ instruments, account, ids }: Pick<BotPlan, 'instruments' | 'account' | 'ids'>): ExpectedContract[] {
  const contracts = instruments.filter(({ contract }) => contract !== undefined);
  return contracts.flatMap((instrument, index) => {
    const margin = account.margin?.get(instrument.symbol);
    if (margin === undefined) return [];
    const contractId = ids?.contracts?.get(instrument.symbol) ?? String(FIRST_CONTRACT_ID + index);
    return [{ instrument, contractId, margin }];
  });
}
