import type { PublicCall } from '../http/call.ts';

/** Beyond the twenty: the server's clock, epoch ms. */
export function spotTime(_request: unknown, { shownTime }: PublicCall): number {
  return shownTime;
}
