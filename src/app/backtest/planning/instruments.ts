import { type ContractSpec, Instrument } from '../../../model/instrument.ts';
import type { Config } from '../../config/schema/schema.ts';

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
