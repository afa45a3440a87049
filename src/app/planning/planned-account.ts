import { Decimal } from '../../model/decimal.ts';
import { type ContractSpec, Instrument } from '../../model/instrument.ts';
import { parseInterval } from '../../model/time.ts';
import type { PortfolioOptions } from '../../state/portfolio.ts';
import type { ConstantFunding } from '../../venues/simulated/sources.ts';
import { accountCurrency, marginSettings } from '../config/account-settings.ts';
import type { Config } from '../config/schema/schema.ts';
import type { PlannedFutures } from './run-plans.ts';

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

/** How the simulator treats futures; `undefined` for an account without futures. */
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

/** The instruments of a config, in the order of the file. */
export function plannedInstruments({ instruments }: Config): Instrument[] {
  return Object.entries(instruments).map(
    ([symbol, { contract, ...spec }], index) =>
      new Instrument(index, { symbol, ...spec, contract: contract === undefined ? undefined : contractSpec(contract) }),
  );
}

/** One rate is one tier. */
function contractSpec({
  value,
  maintenance = '0',
  tiers = [{ maintenance }],
  liquidationFee,
  triggerBy,
}: NonNullable<Config['instruments'][string]['contract']>): ContractSpec {
  return { value, tiers, liquidationFee, triggerBy };
}
