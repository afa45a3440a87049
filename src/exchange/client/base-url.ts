import { TidegateError } from '../../model/errors.ts';

const LOOPBACK = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/;

/**
 * The origin of a base URL. Keys must not cross a network in the clear, so plain http is for loopback alone, and a
 * path is refused because the signature begins with `/api` or `/capi`.
 * @throws TidegateError CONFIG_INVALID.
 */
export function originOf(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname));
  if (url === undefined || !isSafe) {
    throw new TidegateError('CONFIG_INVALID', `a base URL must be https, or http on a loopback host, not "${withoutUser(baseUrl)}"`);
  }
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') {
    throw new TidegateError('CONFIG_INVALID', `a base URL must be scheme and host alone, not "${withoutUser(baseUrl)}"`);
  }
  return url.origin;
}

/** User and password of a URL are secrets too. */
function withoutUser(url: string): string {
  return url.replace(/\/\/[^/]*@/, '//***@');
}
