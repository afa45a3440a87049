import { Decimal } from '../../../model/decimal.ts';
import { parseInterval } from '../../../model/interval.ts';
import type { PortfolioOptions } from '../../../state/portfolio.ts';
import type { ConstantFunding } from '../../../venues/simulated/constant-funding-source.ts';
import { accountCurrency } from '../../config/account-currency.ts';
import { marginSettings } from '../../config/margin-settings.ts';
import type { Config } from '../../config/schema/schema.ts';
import type { PlannedFutures } from '../backtest-plan.ts';

/** The account of a config as the portfolio keeps it. */
export function plannedAccount(config: Config): PortfolioOptions {
  const { account, backtest, instruments, report } = config;
  const options = { kind: account.kind, currency: accountCurrency(config)!, equityEveryMs: parseInterval(report.equityEvery)! };
  const { margin } = account;
  if (margin === undefined || backtest.futures === undefined) return options;
  const contracts = Object.entries(instruments).filter(([, { contract }]) => contract !== undefined);
  return {
    ...options,
    margin: new Map(contracts.map(([symbol, { contract }]) => [symbol, marginSettings(margin, contract?.margin)])),
    markMaxAgeMs: parseInterval(backtest.futures.markMaxAge)!,
  };
}

/** What the simulator does with futures; `undefined` where the account has none. */
export function plannedFutures(
  { futures }: Config['backtest'],
  constantFunding: ReadonlyMap<string, ConstantFunding>,
): PlannedFutures | undefined {
  if (futures === undefined) return undefined;
  const { markMaxAge, liquidation, insuranceFund } = futures;
  return { markMaxAgeMs: parseInterval(markMaxAge)!, liquidation, insuranceFund: amounts(insuranceFund), constantFunding };
}

/** Amounts by asset, exact. */
export function amounts(texts: Readonly<Record<string, string>> = {}): ReadonlyMap<string, Decimal> {
  return new Map(Object.entries(texts).map(([asset, text]) => [asset, new Decimal(text)]));
}
