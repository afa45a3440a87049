import type { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import type { PayloadOf } from '../../../exchange/operations/operations.ts';
import { wireSymbol } from '../../../exchange/symbols.ts';
import { Decimal } from '../../../model/decimal.ts';
import { TidegateError } from '../../../model/errors.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { MarginSettings } from '../../../model/margin.ts';
import type { Log } from '../../../ports/log.ts';

/** A contract of the config: the exchange's own settings must be equal. */
export interface ExpectedContract {
  readonly instrument: Instrument;
  /** The exchange's id of the contract. */
  readonly contractId: string;
  readonly margin: Pick<MarginSettings, 'mode' | 'separated' | 'longLeverage' | 'shortLeverage'>;
}

type Account = PayloadOf<'futuresAccount'>['account'];

/** Codes of margin modes in requests. */
const CROSS = 1;
const ISOLATED = 3;

/** The code of the margin mode in requests. */
export function marginModeOf({ mode }: Pick<MarginSettings, 'mode'>): number {
  return mode === 'isolated' ? ISOLATED : CROSS;
}

/** A setting of a contract that is not the config's. */
interface SettingDifference {
  readonly expected: ExpectedContract;
  readonly isLeverage: boolean;
  /** The expected and the found value, for people. */
  readonly text: string;
}

/** Compares the modes and leverages of the account with those of the config: the first difference of each contract. */
function settingDifferences(expected: readonly ExpectedContract[], account: Account): SettingDifference[] {
  return expected.flatMap((one) => {
    const difference = differenceOf(one, account);
    return difference === undefined ? [] : [{ expected: one, ...difference }];
  });
}

function differenceOf({ contractId, margin }: ExpectedContract, account: Account): Omit<SettingDifference, 'expected'> | undefined {
  const modes = account.contract_id_to_mode_setting[contractId];
  const leverages = account.contract_id_to_leverage_setting[contractId];
  const differs = (what: string, found: string, isLeverage = false) => ({
    isLeverage,
    text: `the config expects ${what}, the exchange has ${found}`,
  });
  if (modes === undefined || leverages === undefined) {
    const ids = Object.keys(account.contract_id_to_mode_setting).join(', ');
    return differs(`settings under contract id ${contractId}`, `those of ${ids || 'no contract'}`);
  }
  const isolated = margin.mode === 'isolated';
  const isCross = modes.margin_mode.toUpperCase() === 'CROSS';
  const words: readonly (readonly [what: string, wanted: string, found: string])[] = [
    // The document has two words for shared collateral.
    ['margin mode', isolated ? 'ISOLATED' : isCross ? 'CROSS' : 'SHARED', modes.margin_mode],
    ['separated mode', margin.separated ? 'SEPARATED' : 'COMBINED', modes.separated_mode],
    ['position mode', 'HEDGE', modes.position_mode],
  ];
  for (const [what, wanted, found] of words) if (found.toUpperCase() !== wanted) return differs(`${what} ${wanted}`, found);
  const { isolated_long_leverage: long, isolated_short_leverage: short } = leverages;
  const shared = isCross ? leverages.cross_leverage : leverages.shared_leverage;
  const sides: readonly (readonly [side: string, wanted: Decimal, found: string])[] = [
    ['long', margin.longLeverage, isolated ? long : shared],
    ['short', margin.shortLeverage, isolated ? short : shared],
  ];
  for (const [side, wanted, found] of sides)
    if (!wanted.equals(new Decimal(found))) return differs(`${side} leverage ${wanted.toFixed()}`, found, true);
  return undefined;
}

/**
 * Compares the modes and leverages of the account with those of the config.
 * @param setsLeverage leverages may differ: a start sets them.
 * @throws TidegateError START_REFUSED with the contract, the expected and the found value.
 */
export function checkSettings(expected: readonly ExpectedContract[], account: Account, setsLeverage = false): void {
  for (const { expected: one, isLeverage, text } of settingDifferences(expected, account))
    if (!isLeverage || !setsLeverage) throw new TidegateError('START_REFUSED', `${one.instrument.symbol}: ${text}`);
}

/** The settings of contracts at the exchange: compared at the start, and again with every picture of the account. */
export class ContractSettings {
  /** Coins whose settings were the config's once. */
  readonly #checked = new Set<string>();
  /** The last reading before that, by coin, if it differed. */
  readonly #doubts = new Map<string, string>();
  #changed: ReadonlyMap<Instrument, string> = new Map();

  constructor(private readonly expected: readonly ExpectedContract[]) {}

  /** The change that somebody made at the exchange while the bot runs, for people; `undefined` if there is none. */
  changeOf(instrument: Instrument): string | undefined {
    return this.#changed.get(instrument);
  }

  /**
   * @throws TidegateError START_REFUSED, at the start, with the contract, the expected and the found value. It is `retryable` at the first
   * reading: one answer may be wrong.
   */
  compare(coin: string, account: Account): void {
    const ofCoin = this.expected.filter(({ instrument }) => instrument.quote === coin);
    if (!this.#checked.has(coin)) this.#check(coin, ofCoin, account);
    this.#checked.add(coin);
    const others = [...this.#changed].filter(([instrument]) => instrument.quote !== coin);
    const found = settingDifferences(ofCoin, account);
    this.#changed = new Map([...others, ...found.map(({ expected, text }) => [expected.instrument, text] as const)]);
  }

  #check(coin: string, expected: readonly ExpectedContract[], account: Account): void {
    try {
      checkSettings(expected, account);
    } catch (error) {
      const { message } = error as TidegateError;
      if (this.#doubts.get(coin) === message) throw error;
      this.#doubts.set(coin, message);
      throw new TidegateError('START_REFUSED', message, { retryable: true });
    }
  }
}

/**
 * Sets the leverages of the config at the exchange, where they differ and the margin mode agrees.
 * @throws ExchangeError if the exchange refuses one, or does not reply.
 */
export async function setLeverages(
  expected: readonly ExpectedContract[],
  account: Account,
  { client, log }: { readonly client: Pick<ExchangeClient, 'setLeverage'>; readonly log: Log },
): Promise<void> {
  for (const { expected: one, isLeverage } of settingDifferences(expected, account)) {
    if (!isLeverage) continue;
    const { instrument, margin } = one;
    const [longLeverage, shortLeverage] = [margin.longLeverage.toFixed(), margin.shortLeverage.toFixed()];
    await client.setLeverage({
      symbol: wireSymbol(instrument.symbol),
      marginMode: marginModeOf(margin),
      longLeverage,
      shortLeverage,
    });
    log.info(`the leverage of ${instrument.symbol} was set at the exchange`, { long: longLeverage, short: shortLeverage });
  }
}
