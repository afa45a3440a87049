import { z } from 'zod';
import { maybe } from '../../fields/maybe.ts';
import { name } from '../../fields/parameters.ts';

export const NoParameters = z.object({});

export const ExchangeInfoRequest = z.object({
  /** One pair. */
  symbol: maybe(name),
  /** Several, comma-separated. With neither, all pairs. */
  symbols: maybe(name),
});

export const SymbolRequest = z.object({ symbol: name });
