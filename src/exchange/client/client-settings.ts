/** How the client talks; times in ms. */
export interface ClientSettings {
  /** `https://host`, or `http` on a loopback address. */
  readonly spotBaseUrl: string | undefined;
  readonly contractBaseUrl: string | undefined;
  /** The `locale` header of signed requests. */
  readonly locale: string;
  /** Until the connection stands, until the headers are there, until the body is. */
  readonly connectMs: number;
  readonly headersMs: number;
  readonly bodyMs: number;
  /** A longer reply is refused. All tickers of a large exchange are some 1 MB. */
  readonly maxBodyBytes: number;
  /** How often a read is tried in all; whatever acts is tried once. */
  readonly readAttempts: number;
  /** The longest first pause between two tries; it doubles, up to `maxBackoffMs`, and is drawn from 0 up. */
  readonly backoffMs: number;
  readonly maxBackoffMs: number;
  /** Most orders in one batch. */
  readonly batchLimit: number;
  /** How long a measured clock offset is good for; 0 never measures. */
  readonly clockSyncMs: number;
}

export const CLIENT_DEFAULTS: ClientSettings = {
  spotBaseUrl: undefined,
  contractBaseUrl: undefined,
  locale: 'en-US',
  connectMs: 5_000,
  headersMs: 10_000,
  bodyMs: 10_000,
  maxBodyBytes: 16 * 1024 * 1024,
  readAttempts: 3,
  backoffMs: 250,
  maxBackoffMs: 5_000,
  batchLimit: 10,
  clockSyncMs: 600_000,
};
