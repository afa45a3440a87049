import { defined, type ExchangeOptions } from '../../local-exchange/options.ts';
import { Decimal } from '../../model/decimal.ts';
import { type ContractSpec, Instrument } from '../../model/instrument.ts';
import { marginSettings } from '../config/margin-settings.ts';
import type { ExchangeConfig } from './exchange-schema.ts';

type Listed = ExchangeConfig['instruments'][string];
type Contract = NonNullable<Listed['contract']>;

/** Maintenance margin of contracts that say nothing of it. */
const MAINTENANCE = '0.005';

/** What a config says of the exchange itself: everything but its clock, its feed and its files. */
export type PlannedExchange = Omit<ExchangeOptions, 'clock' | 'feed' | 'step' | 'stateFile' | 'log'>;

export function exchangeOptions(config: ExchangeConfig): PlannedExchange {
  const { name, accounts, coins, behaviour, lists, limits, ports, margin } = config;
  const listed = Object.entries(config.instruments);
  const { exits: _, barVolumeShare, ...fills } = config.fills;
  const { insuranceFund = {}, ...matching } = config.matching;
  return {
    name,
    accounts: accounts.map(({ margin: _, ...account }) => account),
    coins,
    behaviour: defined(behaviour),
    lists: defined(lists),
    limits: defined(limits),
    faults: defined(config.faults) as ExchangeOptions['faults'],
    ports: defined(ports),
    instruments: listed.map(([symbol, spec], index) => instrument(symbol, spec, index)),
    listings: new Map(listed.flatMap(([symbol, { listing }]) => (listing === undefined ? [] : [[symbol, listing] as const]))),
    fills: { ...fills, barVolumeShare: barVolumeShare === undefined ? undefined : Number(barVolumeShare) },
    matching: { ...matching, insuranceFund: new Map(Object.entries(insuranceFund).map(([asset, amount]) => [asset, new Decimal(amount)])) },
    margin: ({ symbol }, owner) => {
      const own = accounts.find(({ name }) => name === owner)?.margin;
      return marginSettings(margin, own?.contracts?.[symbol], own, config.instruments[symbol]?.contract?.margin);
    },
  };
}

function instrument(symbol: string, { contract, listing: _, ...spec }: Listed, index: number): Instrument {
  const isFutures = symbol.endsWith('-PERP');
  return new Instrument(index, { symbol, ...spec, contract: isFutures ? contractSpec(contract) : undefined });
}

/** A contract that the config does not describe has the defaults; one rate is one tier. */
function contractSpec({
  value = '0.000001',
  maintenance,
  tiers,
  liquidationFee = '0.001',
  triggerBy = 'last',
}: Partial<Contract> = {}): ContractSpec {
  return { value, tiers: tiers ?? [{ maintenance: maintenance ?? MAINTENANCE }], liquidationFee, triggerBy };
}
