import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { Decimal } from '../../../model/decimal.ts';
import { TidegateError } from '../../../model/errors.ts';
import type { State } from '../../../state/state.ts';
import type { ComparedRun, EndPrices } from '../../../statistics/comparison/compared-run.ts';
import type { SimulatedRun } from '../simulate-run.ts';

/** Data of a run for comparisons that is not in its tables: the final balances, the last prices, and the times with prices. */
type Account = Pick<ComparedRun, 'currency' | 'finalEquity' | 'quotes' | 'end' | 'moves' | 'coverage'>;

const FILE = 'account.json';
const VERSION = 1;

/** Writes account.json. */
export function writeAccountFile(folder: string, { state, recorder }: SimulatedRun): void {
  const { portfolio, instruments } = state;
  const end = endPricesOf(state);
  const account = {
    version: VERSION,
    currency: portfolio.currency,
    finalEquity: portfolio.exactEquity().toFixed(),
    quotes: Object.fromEntries(instruments.map(({ symbol, quote }) => [symbol, quote])),
    end: { units: texts(end.units), rates: texts(end.rates) },
    moves: recorder.moves.map((move) => ({ ...move, amount: move.amount.toFixed() })),
    coverage: Object.fromEntries(recorder.prices.coverage()),
  };
  writeFileSync(join(folder, FILE), `${JSON.stringify(account)}\n`);
}

/** The newest values in the account's currency: positions at their marks, assets at their rates. */
export function endPricesOf({ instruments, markets, portfolio, account }: State): EndPrices {
  const units = new Map<string, Decimal>();
  const rates = new Map<string, Decimal>();
  const setRate = (asset: string) => {
    const rate = portfolio.rateOf(asset);
    if (rate !== undefined) rates.set(asset, rate);
  };
  for (const asset of [portfolio.currency, ...[...portfolio.balances.values()].map((balance) => balance.asset)]) setRate(asset);
  for (const { symbol, base, quote, kind, index } of instruments) {
    setRate(base);
    setRate(quote);
    // An instrument counts as a position, valued at its mark, or as a balance, valued at the rate of its asset.
    const isPosition = account.kind === 'netting' || kind === 'futures';
    const rate = portfolio.rateOf(quote);
    const mark = markets[index]?.exactMark();
    const unit = isPosition ? mark !== undefined && rate !== undefined && mark.times(rate) : portfolio.rateOf(base);
    if (unit) units.set(symbol, unit);
  }
  return { units, rates };
}

function texts(amounts: ReadonlyMap<string, Decimal>): Record<string, string> {
  return Object.fromEntries([...amounts].map(([name, amount]) => [name, amount.toFixed()]));
}

const decimal = z.string().transform((text, context) => {
  try {
    return new Decimal(text);
  } catch {
    context.addIssue(`expected a decimal number, not ${JSON.stringify(text)}`);
    return z.NEVER;
  }
});
const byName = <T extends z.ZodType>(value: T) =>
  z.record(z.string(), value).transform((record) => new Map(Object.entries(record) as [string, z.output<T>][]));
const REASONS = ['deposit', 'funding', 'liquidationFee', 'insurance', 'transfer', 'foreign', 'unexplained'] as const;

const Schema = z.object({
  version: z.literal(VERSION),
  currency: z.string(),
  finalEquity: decimal,
  quotes: byName(z.string()),
  end: z.object({ units: byName(decimal), rates: byName(decimal) }),
  moves: z.array(z.object({ time: z.number(), asset: z.string(), amount: decimal, reason: z.enum(REASONS) })),
  coverage: byName(
    z.object({ first: z.number(), last: z.number(), count: z.number(), pauses: z.array(z.tuple([z.number(), z.number()])) }),
  ),
});

/** Reads account.json of a run's folder. @throws TidegateError DATA_NOT_FOUND, DATA_INVALID */
export function readAccountFile(folder: string): Account {
  const path = join(folder, FILE);
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    const absent = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    const hint = 'expected the folder of a backtest, written by this or a later version: run it again';
    throw new TidegateError(
      absent ? 'DATA_NOT_FOUND' : 'DATA_INVALID',
      `${path}: ${absent ? 'does not exist' : 'cannot be read'}; ${hint}`,
      {
        cause,
      },
    );
  }
  const parsed = Schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new TidegateError('DATA_INVALID', `${path}: ${z.prettifyError(parsed.error)}`);
}
