import { TidegateError } from '../model/errors.ts';
import type { Instrument } from '../model/instrument.ts';
import { encodeValue } from './encode-value.ts';
import { reviveValue } from './revive-value.ts';

/**
 * JSON text of a value, with tags for what JSON lacks, so that `revive` gives an equal one:
 * - `{"$d":"1.5"}` a Decimal, `{"$i":"BTC-USDT"}` an Instrument, `{"$f":{...}}` a Fill;
 * - `{"$e":["ticker","BTC-USDT",time,sequence,...]}` a market event, `{"$m":[[key,value],...]}` a Map;
 * - `{"$n":"NaN"}` a number outside JSON, `{"$u":0}` an undefined that holds a place;
 * - `{"$o":{...}}` an object of which a key begins with `$`.
 * Fields that are undefined vanish.
 * @throws TidegateError INVARIANT_BROKEN for what cannot come back: functions, dates, classes unknown here, cycles.
 */
export function encode(value: unknown): string {
  return JSON.stringify(encodeValue(value));
}

/** The value that `encode` wrote. @throws TidegateError JOURNAL_DAMAGED, CONFIG_INVALID for an instrument that is not there. */
export function revive(text: string, instruments: ReadonlyMap<string, Instrument>): unknown {
  try {
    return reviveValue(JSON.parse(text), instruments);
  } catch (error) {
    if (error instanceof TidegateError) throw error;
    throw new TidegateError('JOURNAL_DAMAGED', `what the journal holds cannot be read back: ${(error as Error).message}`, { cause: error });
  }
}
