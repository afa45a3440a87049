import { BUDGET_DEFAULTS } from '../../../exchange/budget/budget-settings.ts';
import { OPERATION_TABLE } from '../../../exchange/operations/operation-table.ts';
import { type Check, failed, ok, warning } from '../check.ts';
import type { Patient } from '../patient.ts';

/** Beyond this share, orders and look-ups find little left. */
const BUSY = 0.5;
const MEND = 'ask less often (live.poll), trade fewer symbols, or set live.budget to what the exchange grants you';

export const limits: Check = {
  id: 'limits',
  title: 'what the bot asks fits into the limits',
  modes: ['live'],
  needs: ['config'],
  mend: MEND,
  run(patient) {
    const { ipWeight, windowMs } = { ...BUDGET_DEFAULTS, ...patient.loaded.config.live?.budget };
    const spent = Math.ceil(weightOf(patient, windowMs));
    const share = spent / ipWeight;
    const found = `looking alone takes some ${spent} of ${ipWeight} weight in ${windowMs / 1_000} s`;
    if (share > 1) return failed(found, MEND);
    return share > BUSY ? warning(found, MEND) : ok(found);
  },
};

/** Of one window without an order: tickers and marks, fills, balances, the futures account and its orders. */
function weightOf({ loaded: { config }, instruments }: Patient, windowMs: number): number {
  const { tickerMs, accountMs } = config.live!.poll;
  const of = (name: keyof typeof OPERATION_TABLE) => OPERATION_TABLE[name].weight.ip;
  const spot = instruments.filter(({ kind }) => kind === 'spot').length;
  const contracts = instruments.length - spot;
  const prices = Math.min(spot * of('ticker'), of('tickers')) + contracts * of('futuresTicker');
  const account = (spot > 0 ? of('accountAssets') : 0) + (contracts > 0 ? of('futuresAccount') + contracts * of('futuresOrders') : 0);
  return windowMs * (prices / tickerMs + account / accountMs);
}
