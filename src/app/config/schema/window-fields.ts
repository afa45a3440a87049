import { z } from 'zod';
import { localTime } from '../../../risk/trading-window.ts';

const TIME_ERROR = 'expected a time of the day such as "09:30", at most "24:00"';

/** `HH:MM`, kept as text. */
export const dayTime = z.string({ error: TIME_ERROR }).regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, { error: TIME_ERROR });

const ZONE_ERROR = 'expected a time zone such as UTC or Europe/Berlin';

export const zoneName = z.string({ error: ZONE_ERROR }).refine(isZone, { error: ZONE_ERROR });

/** Minutes since midnight. */
export function minuteOf(time: string): number {
  const [hours, minutes] = time.split(':').map(Number);
  return hours! * 60 + minutes!;
}

function isZone(name: string): boolean {
  try {
    localTime(0, name);
    return true;
  } catch {
    return false;
  }
}
