import { TidegateError } from '../../model/errors.ts';

/**
 * What DuckDB's text says of the way to the storage, as an error that names the URL and what was expected; undefined where the way
 * was not the trouble. Of the text itself only the status and the storage's own code are told.
 */
export function storageTrouble(url: string, { message }: Error): TidegateError | undefined {
  const status = Number(/\bHTTP (\d{3})\b/.exec(message)?.[1] ?? Number.NaN);
  const code = /^([A-Z]\w+): /m.exec(message.split('\n').slice(1).join('\n'))?.[1];
  const said = `HTTP ${status}${code === undefined ? '' : ` ${code}`}`;
  const whole = (what: string, retryable = false) => new TidegateError('DATA_UNREACHABLE', `${url}: ${what}`, { retryable });
  if (status === 401 || status === 403) {
    return whole(
      `the storage refuses access (${said}); expected AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (with temporary ones AWS_SESSION_TOKEN) of somebody who may list and read there`,
    );
  }
  if (status === 404) {
    return new TidegateError(
      'DATA_NOT_FOUND',
      `${url}: the storage knows nothing of that name (${said}); expected an existing bucket, and AWS_ENDPOINT_URL where it is not one of AWS`,
    );
  }
  if (status === 301 || status === 307 || status === 400)
    return whole(`the storage cannot be asked that way (${said}); expected AWS_REGION to be the region of the bucket`);
  if (!Number.isNaN(status)) return whole(`the storage is in trouble (${said}); try again later`, true);
  if (/\bETag\b/.test(message)) return whole('the file changed while it was read; try again', true);
  const way = /IO Error: (.*?) error for HTTP/.exec(message)?.[1] ?? /(timed? ?out|Connection error)/i.exec(message)?.[1];
  if (way === undefined) return undefined;
  return whole(`the storage cannot be reached (${way}); expected it at AWS_ENDPOINT_URL, or without that at AWS`, true);
}
