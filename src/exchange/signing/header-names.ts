/** The headers of a signed request; with `Content-Type: application/json` they are six. Names are case-insensitive. */
export const HEADERS = {
  key: 'ACCESS-KEY',
  sign: 'ACCESS-SIGN',
  passphrase: 'ACCESS-PASSPHRASE',
  timestamp: 'ACCESS-TIMESTAMP',
  locale: 'locale',
  contentType: 'Content-Type',
} as const;

/** How far a timestamp may lie from the server's time, in ms. */
export const TIMESTAMP_WINDOW_MS = 30_000;
