import { z } from 'zod';
import { CANDLE_PERIODS, MOST_CANDLES } from '../../candle-periods.ts';
import { whole } from '../../fields/integers.ts';
import { maybe } from '../../fields/maybe.ts';
import { name, word } from '../../fields/parameters.ts';

export const NoParameters = z.object({});

export const ExchangeInfoRequest = z.object({
  /** One pair. */
  symbol: maybe(name),
  /** Several, comma-separated. With neither, all pairs. */
  symbols: maybe(name),
});

export const SymbolRequest = z.object({ symbol: name });

/** 1 to 1000; default 100. */
const limit = maybe(whole(1, MOST_CANDLES));

export const CandlesRequest = z.object({ symbol: name, period: word(...CANDLE_PERIODS.map(({ spot }) => spot)), limit });

export const FuturesCandlesRequest = z.object({ symbol: name, granularity: word(...CANDLE_PERIODS.map(({ futures }) => futures)), limit });
