import { Decimal } from '../../model/decimal.ts';
import { type ContractSpec, Instrument } from '../../model/instrument.ts';
import { parseInterval } from '../../model/time.ts';
import type { PortfolioOptions } from '../../state/portfolio.ts';
import type { ConstantFunding } from '../../venues/simulated/sources.ts';
import { accountCurrency, marginSettings, referenceSymbols } from '../config/account-settings.ts';
import type { Config } from '../config/schema/schema.ts';
import type { PlannedFutures } from './run-plans.ts';

/** The options of the portfolio for a config's account. */
export function plannedAccount(config: Config): PortfolioOptions {
  const { account, backtest, instruments, report } = config;
  const { equityEvery, dayZone } = report;
  const options = { kind: account.kind, currency: accountCurrency(config)!, equityEveryMs: parseInterval(equityEvery)!, dayZone };
  const { margin } = account;
  if (margin === undefined || backtest.futures === undefined) return options;
  const contracts = Object.entries(instruments).filter(([, { contract }]) => contract !== undefined);
  return {
    ...options,
    margin: new Map(contracts.map(([symbol, { contract }]) => [symbol, marginSettings(margin, contract?.margin)])),
    markMaxAgeMs: parseInterval(backtest.futures.markMaxAge)!,
  };
}

/** The simulator's settings for futures; `undefined` for an account without futures. */
export function plannedFutures(
  { futures }: Config['backtest'],
  constantFunding: ReadonlyMap<string, ConstantFunding>,
): PlannedFutures | undefined {
  if (futures === undefined) return undefined;
  const { markMaxAge, liquidation, insuranceFund } = futures;
  return { markMaxAgeMs: parseInterval(markMaxAge)!, liquidation, insuranceFund: amounts(insuranceFund), constantFunding };
}

/** Exact amounts by asset. */
export function amounts(texts: Readonly<Record<string, string>> = {}): ReadonlyMap<string, Decimal> {
  return new Map(Object.entries(texts).map(([asset, text]) => [asset, new Decimal(text)]));
}

/** The instruments of a config, in the order of the file. */
export function plannedInstruments(config: Config): Instrument[] {
  const references = referenceSymbols(config);
  return Object.entries(config.instruments).map(([symbol, { contract, ...spec }], index) => {
    const terms = { symbol, ...spec, contract: contract === undefined ? undefined : contractSpec(contract) };
    return new Instrument(index, references.has(symbol) ? { ...terms, reference: true } : terms);
  });
}

/** The terms of a contract; a single maintenance rate becomes one tier. */
function contractSpec({
  value,
  maintenance = '0',
  tiers = [{ maintenance }],
  liquidationFee,
  triggerBy,
}: NonNullable<Config['instruments'][string]['contract']>): ContractSpec {
  return { value, tiers, liquidationFee, triggerBy };
}
