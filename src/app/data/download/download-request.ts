/** Kinds of series that an exchange's history can be downloaded as. */
export const DOWNLOAD_KINDS = ['bar', 'trade', 'funding'] as const;
export type DownloadKind = (typeof DOWNLOAD_KINDS)[number];

/** What is to be downloaded; a download goes on only with the same request. */
export interface DownloadRequest {
  /** ccxt's name of the exchange: `binance`. */
  readonly exchange: string;
  /** The address that was given in place of the exchange's own. */
  readonly url?: string | undefined;
  /** ccxt's name of the market: `BTC/USDT`, `BTC/USDT:USDT`. */
  readonly market: string;
  readonly kind: DownloadKind;
  /** Length of the bars as text, `1m`; on bars alone. */
  readonly interval?: string | undefined;
  /** Epoch ms, inclusive. */
  readonly from: number;
  /** Epoch ms, exclusive; absent where it is the time of the command. */
  readonly to?: number | undefined;
}
