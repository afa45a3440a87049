// Reads a table file many times, each time with other bytes damaged, and prints its peak of memory in MB.
// Run by damaged-tables.test.ts as a process of its own, which can be ended.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [root, file, copy, rounds] = process.argv.slice(2);
const { withTables } = await import(pathToFileURL(join(root, 'dist/recording/import/tables/open-tables.js')).href);
let seed = 1;
const random = (below) => {
  seed = (seed * 1664525 + 1013904223) >>> 0;
  return Math.floor((seed / 2 ** 32) * below);
};
let peak = 0;
const sound = readFileSync(file);
for (let round = 0; round < Number(rounds); round++) {
  const bytes = Buffer.from(sound);
  // Anywhere; in the footer; in the first messages.
  const [from, count] = [
    [8, bytes.length - 8],
    [Math.max(8, bytes.length - 1_600), Math.min(1_600, bytes.length - 8)],
    [8, Math.min(900, bytes.length - 8)],
  ][round % 3];
  for (let left = 1 + random(16); left > 0; left--) bytes[from + random(count)] = [255, 0, 1, random(256)][random(4)];
  writeFileSync(copy, bytes);
  try {
    await withTables([copy], async (tables) => {
      for (const table of tables.values()) {
        const batches = table.open(() => true, false);
        try {
          while ((await batches.next()) !== undefined);
        } finally {
          batches.close();
        }
      }
    });
  } catch (error) {
    if (error.code !== 'DATA_INVALID' || !error.message.includes(copy)) throw error;
  }
  peak = Math.max(peak, process.memoryUsage.rss());
}
process.stdout.write(String(Math.round(peak / 1_000_000)));
