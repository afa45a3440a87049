import type { Call } from '../http/call.ts';
import { Refusal } from '../refusal.ts';

/** Operations 17 to 20 are for affiliates. The real refusal is not known: 40014 with HTTP 403. @throws Refusal 40014. */
export function requireAffiliate({ account }: Call): void {
  if (!account.affiliate) throw new Refusal('40014', 'no permission: affiliate accounts only');
}
