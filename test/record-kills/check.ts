import { SYMBOLS } from './place.ts';
import type { Recorded } from './record.ts';

/** What the recorder said while it lived. */
export interface Told {
  /** Epoch ms of the polls that it said to be on disk, in the order in which it said so. */
  readonly acknowledged: readonly number[];
  /** How many were acknowledged when SIGKILL ended a life in which some were. */
  readonly kills: readonly number[];
}

/** Lays what the recorder said beside what it left. @returns what is wrong. */
export function check({ acknowledged, kills }: Told, recorded: Recorded): string[] {
  return [
    ...acknowledgedPolls(acknowledged, recorded),
    ...series(recorded),
    ...gaps(acknowledged, kills, recorded),
    ...leftovers(recorded),
  ];
}

function acknowledgedPolls(acknowledged: readonly number[], { polls }: Recorded): string[] {
  const wrong: string[] = [];
  const times = new Set<number>();
  let before = Number.NEGATIVE_INFINITY;
  for (const { time } of polls) {
    if (times.has(time)) wrong.push(`the poll of ${time} is there twice`);
    else if (time < before) wrong.push(`the poll of ${time} is behind that of ${before}`);
    times.add(time);
    before = time;
  }
  for (const time of acknowledged) if (!times.has(time)) wrong.push(`the poll of ${time} was acknowledged, and is not there`);
  for (let index = 1; index < acknowledged.length; index++) {
    if (acknowledged[index]! <= acknowledged[index - 1]!)
      wrong.push(`${acknowledged[index]} was acknowledged after ${acknowledged[index - 1]}`);
  }
  return wrong;
}

/** Every change of a price in the logs is a row of its series, and nothing else is. */
function series(recorded: Recorded): string[] {
  return SYMBOLS.flatMap((symbol) => {
    const told = recorded.polls.flatMap(({ time, prices = [] }) =>
      prices.flatMap(([of, last]) => (of === symbol ? [[time, Number(last)] as const] : [])),
    );
    const rows = recorded.rows(symbol);
    const at = told.findIndex(([time, price], index) => rows[index]?.[0] !== time || rows[index][1] !== price);
    if (at < 0 && told.length === rows.length) return [];
    const place = at < 0 ? told.length : at;
    return [
      `${symbol}: ${told.length} prices in the logs, ${rows.length} rows; they part at ${JSON.stringify([told[place], rows[place]])}`,
    ];
  });
}

/** Between a kill and the next life lies a gap that says so. */
function gaps(acknowledged: readonly number[], kills: readonly number[], { coverage }: Recorded): string[] {
  const cut = coverage.flatMap((one) => one.gaps).filter(({ reason }) => reason.startsWith('the recorder was cut off'));
  return kills.flatMap((count) => {
    const [last, next = Number.POSITIVE_INFINITY] = [acknowledged[count - 1]!, acknowledged[count]];
    return cut.some(({ from }) => from >= last && from < next) ? [] : [`no gap after the kill at ${last}`];
  });
}

function leftovers({ broken, left }: Recorded): string[] {
  return [...(broken > 0 ? [`${broken} broken places in packed logs`] : []), ...left.map((name) => `${name} was left`)];
}
