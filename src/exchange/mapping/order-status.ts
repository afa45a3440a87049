/** How far an order has come, by the venue's word. `canceling` is on its way to `canceled`. */
export type VenueStatus = 'pending' | 'untriggered' | 'open' | 'partiallyFilled' | 'filled' | 'canceling' | 'canceled';

/** Words of both hosts, the documented and the recorded ones, without case and separators. */
const STATUSES: Readonly<Record<string, VenueStatus>> = {
  new: 'open',
  open: 'open',
  partialfill: 'partiallyFilled',
  partialfilled: 'partiallyFilled',
  partiallyfilled: 'partiallyFilled',
  fullfill: 'filled',
  filled: 'filled',
  cancelled: 'canceled',
  canceled: 'canceled',
  pending: 'pending',
  canceling: 'canceling',
  cancelling: 'canceling',
  untriggered: 'untriggered',
};

/** What a status of either host means; `undefined` for a word that nobody knows. */
export function statusOf(wire: string): VenueStatus | undefined {
  const word = wire.toLowerCase().replace(/[^a-z]/g, '');
  return Object.hasOwn(STATUSES, word) ? STATUSES[word] : undefined;
}

type SpotStatus = Exclude<VenueStatus, 'pending' | 'untriggered' | 'canceling'>;

const SPOT: Readonly<Record<SpotStatus, string>> = {
  open: 'open',
  partiallyFilled: 'partial_fill',
  filled: 'full_fill',
  canceled: 'cancelled',
};

/** The word of the spot host. */
export function wireSpotStatus(status: SpotStatus): string {
  return SPOT[status];
}

/** The word of the futures host, where a partly filled order is `open` still. */
export function wireFuturesStatus(status: VenueStatus): string {
  return status === 'partiallyFilled' ? 'open' : status;
}
