import type { VenueStatus } from '../../src/exchange/mapping.ts';
import { wireSymbol } from '../../src/exchange/symbols.ts';
import { isSymbol } from '../../src/model/instrument.ts';

const SPOT = '_SPBL';
const FUTURES = 'cmt_';
/** Quote currencies, for wire names that do not say where the base ends. */
const QUOTES = ['USDT', 'USDC', 'USD', 'BTC', 'ETH', 'EUR'];

/**
 * Our symbol of a wire name, in any case; `undefined` for what is none. The wire runs base and quote together, so
 * `known` symbols are looked through first, then the quote is told by its name.
 */
export function symbolOf(wire: string, known: readonly string[] = []): string | undefined {
  const folded = wire.toUpperCase();
  const found = known.find((symbol) => wireSymbol(symbol).toUpperCase() === folded);
  if (found !== undefined) return found;
  const isFutures = folded.startsWith(FUTURES.toUpperCase());
  if (!isFutures && !folded.endsWith(SPOT)) return undefined;
  const pair = isFutures ? folded.slice(FUTURES.length) : folded.slice(0, -SPOT.length);
  const quote = QUOTES.find((name) => pair.length > name.length && pair.endsWith(name));
  if (quote === undefined) return undefined;
  const symbol = `${pair.slice(0, -quote.length)}-${quote}${isFutures ? '-PERP' : ''}`;
  return isSymbol(symbol) ? symbol : undefined;
}

type SpotStatus = Exclude<VenueStatus, 'pending' | 'untriggered' | 'canceling'>;

const SPOT_STATUSES: Readonly<Record<SpotStatus, string>> = {
  open: 'open',
  partiallyFilled: 'partial_fill',
  filled: 'full_fill',
  canceled: 'cancelled',
};

/** The word of the spot host. */
export function wireSpotStatus(status: SpotStatus): string {
  return SPOT_STATUSES[status];
}

/** The word of the futures host, where a partly filled order is `open` still. */
export function wireFuturesStatus(status: VenueStatus): string {
  return status === 'partiallyFilled' ? 'open' : status;
}

const TRIGGER_TYPES = {
  '1': { side: 'buy', positionSide: 'long' },
  '2': { side: 'sell', positionSide: 'short' },
  '3': { side: 'sell', positionSide: 'long' },
  '4': { side: 'buy', positionSide: 'short' },
} as const;

/** What the `type` of operation 13 means. */
export function directionOfTrigger(type: keyof typeof TRIGGER_TYPES) {
  return TRIGGER_TYPES[type];
}
