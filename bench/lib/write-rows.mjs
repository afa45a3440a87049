import { closeSync, openSync, writeSync } from 'node:fs';

/** Writes a CSV of `count` rows, some at a time. */
export function writeRows(path, header, count, line) {
  const file = openSync(path, 'w');
  writeSync(file, `${header}\n`);
  for (let at = 0; at < count; at += 50_000) {
    const lines = [];
    for (let i = at; i < Math.min(count, at + 50_000); i++) lines.push(line(i));
    writeSync(file, `${lines.join('\n')}\n`);
  }
  closeSync(file);
}

/** A price of ticks of 0.01. */
export function price(ticks) {
  return (ticks / 100).toFixed(2);
}
