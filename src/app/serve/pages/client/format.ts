/** The time zone that all times of the pages are shown in. */
export type Zone = 'UTC' | 'local';

const MINUS = '\u2212';

/** `1,234.50`; amounts below 1 have four significant digits, so that no fee reads as zero. Doubles are exact enough for two decimals. */
export function money(text: string): string {
  const value = Number(text);
  if (!Number.isFinite(value)) return text;
  const size = Math.abs(value);
  const shown =
    size >= 1 || size === 0
      ? size.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
      : size.toLocaleString('en-US', { maximumSignificantDigits: 4, minimumFractionDigits: 2 });
  return value < 0 ? `${MINUS}${shown}` : shown;
}

/** A change: its sign is always there. */
export function change(text: string): string {
  return Number(text) > 0 ? `+${money(text)}` : money(text);
}

/** A price or quantity as it is, with its thousands grouped. */
export function exact(text: string): string {
  const [whole = '', ...rest] = text.replace('-', MINUS).split('.');
  return [whole.replace(/\B(?=(\d{3})+$)/g, ','), ...rest].join('.');
}

/** `12.34 %` for 0.1234. */
export function share(value: number): string {
  return `${(value * 100).toFixed(2).replace('-', MINUS)} %`;
}

export function count(value: number): string {
  return value.toLocaleString('en-US');
}

const BYTES = ['B', 'kB', 'MB', 'GB', 'TB'];
const THOUSAND = 1_000;

export function size(bytes: number): string {
  const power = Math.min(BYTES.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const value = bytes / THOUSAND ** power;
  return `${value.toFixed(power === 0 || value >= 100 ? 0 : 1)} ${BYTES[power]}`;
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** The two largest units: `3 d 4 h`, `12 min`, `5 s`; `0 s` below a second. */
export function duration(ms: number): string {
  const first = UNITS.findIndex(([, size]) => ms >= size);
  if (first < 0) return '0 s';
  const [name, size] = UNITS[first]!;
  const whole = `${Math.floor(ms / size)} ${name}`;
  const next = UNITS[first + 1];
  // From minutes on, a second unit is noise that changes each second.
  if (next === undefined || next[0] === 's') return whole;
  const rest = Math.floor((ms % size) / next[1]);
  return rest === 0 ? whole : `${whole} ${rest} ${next[0]}`;
}

function partsOf(time: number, zone: Zone): Record<string, string> {
  const options: Intl.DateTimeFormatOptions = {
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
    ...(zone === 'UTC' && { timeZone: 'UTC' }),
  };
  return Object.fromEntries(new Intl.DateTimeFormat('en-US', options).formatToParts(time).map(({ type, value }) => [type, value]));
}

/** `2026-01-31 14:05:09` */
export function dateTime(time: number, zone: Zone): string {
  const { year, month, day } = partsOf(time, zone);
  return `${year}-${month}-${day} ${clock(time, zone)}`;
}

/** `14:05:09` */
export function clock(time: number, zone: Zone): string {
  const { hour, minute, second } = partsOf(time, zone);
  return `${hour}:${minute}:${second}`;
}

/** The zone in words: `UTC`, or the place of the browser. */
export function zoneName(zone: Zone): string {
  return zone === 'UTC' ? 'UTC' : new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
