/** Days as `Intl` names them in English. */
export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Day = (typeof DAYS)[number];

/** Hours of some days in a time zone; where the end is not after the beginning, it is that of the next day. */
export interface TradingWindow {
  readonly days: readonly Day[];
  /** Minutes of the day: the first inside, and the first after it (1440: midnight). */
  readonly fromMinute: number;
  readonly toMinute: number;
  /** IANA name, such as `UTC` or `Europe/Berlin`. */
  readonly zone: string;
}

/** A moment as the clocks of a zone show it. */
export interface LocalTime {
  readonly day: Day;
  readonly minute: number;
}

const DAY_MINUTES = 1440;
const formats = new Map<string, Intl.DateTimeFormat>();

/** @throws RangeError for a zone that the system does not know. */
export function localTime(time: number, zone: string): LocalTime {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
    formats.set(zone, format);
  }
  const parts = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, value]));
  return { day: parts.weekday!.toLowerCase() as Day, minute: Number(parts.hour) * 60 + Number(parts.minute) };
}

/** Whether the moment lies inside the window; one that ends after midnight belongs to the day on which it begins. */
export function isInside({ days, fromMinute, toMinute }: TradingWindow, { day, minute }: LocalTime): boolean {
  if (fromMinute < toMinute) return days.includes(day) && minute >= fromMinute && minute < toMinute;
  if (minute >= fromMinute && minute < DAY_MINUTES) return days.includes(day);
  return minute < toMinute && days.includes(DAYS[(DAYS.indexOf(day) + DAYS.length - 1) % DAYS.length]!);
}
