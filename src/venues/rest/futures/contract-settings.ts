import type { PayloadOf } from '../../../exchange/operations/operations.ts';
import { Decimal } from '../../../model/decimal.ts';
import { TidegateError } from '../../../model/errors.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { MarginSettings } from '../../../model/margin.ts';

/** A contract of the config: the exchange's own settings must be equal. */
export interface ExpectedContract {
  readonly instrument: Instrument;
  /** The exchange's id of the contract. */
  readonly contractId: string;
  readonly margin: Pick<MarginSettings, 'mode' | 'separated' | 'longLeverage' | 'shortLeverage'>;
}

type Account = PayloadOf<'futuresAccount'>['account'];

/**
 * Compares the modes and leverages of the account with those of the config.
 * @throws TidegateError START_REFUSED with the contract, the expected and the found value.
 */
export function checkSettings(expected: readonly ExpectedContract[], account: Account): void {
  for (const { instrument, contractId, margin } of expected) {
    const modes = account.contract_id_to_mode_setting[contractId];
    const leverages = account.contract_id_to_leverage_setting[contractId];
    if (modes === undefined || leverages === undefined) {
      refuse(
        instrument,
        `settings under contract id ${contractId}`,
        `those of ${Object.keys(account.contract_id_to_mode_setting).join(', ') || 'no contract'}`,
      );
    }
    const isolated = margin.mode === 'isolated';
    const isCross = modes.margin_mode.toUpperCase() === 'CROSS';
    // The document has two words for shared collateral.
    if (isolated || !isCross) expectWord(instrument, 'margin mode', isolated ? 'ISOLATED' : 'SHARED', modes.margin_mode);
    expectWord(instrument, 'separated mode', margin.separated ? 'SEPARATED' : 'COMBINED', modes.separated_mode);
    expectWord(instrument, 'position mode', 'HEDGE', modes.position_mode);
    const { isolated_long_leverage: long, isolated_short_leverage: short } = leverages;
    const shared = isCross ? leverages.cross_leverage : leverages.shared_leverage;
    expectLeverage(instrument, 'long', margin.longLeverage, isolated ? long : shared);
    expectLeverage(instrument, 'short', margin.shortLeverage, isolated ? short : shared);
  }
}

function expectWord(instrument: Instrument, what: string, expected: string, found: string): void {
  if (found.toUpperCase() !== expected) refuse(instrument, `${what} ${expected}`, found);
}

function expectLeverage(instrument: Instrument, side: string, expected: Decimal, found: string): void {
  if (!expected.equals(new Decimal(found))) refuse(instrument, `${side} leverage ${expected.toFixed()}`, found);
}

function refuse({ symbol }: Instrument, expected: string, found: string): never {
  throw new TidegateError('START_REFUSED', `${symbol}: the config expects ${expected}, the exchange has ${found}`);
}
