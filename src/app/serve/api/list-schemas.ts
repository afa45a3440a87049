import { z } from 'zod';

const time = z.number();
const text = z.string();
const statistics = z.record(text, z.union([z.number(), text, z.null()])).describe('By key, as `tidegate runs list --json` has them');
const trouble = z.array(text).describe('Folders that could not be read, with the reason');

const Run = z.object({
  id: text.describe('Names the run in paths'),
  folder: text,
  name: text,
  kind: z.enum(['backtest', 'paper', 'live']),
  state: z.enum(['done', 'interrupted', 'failed', 'running', 'stopped', 'incomplete', 'unreadable']),
  date: time,
  from: text.nullable(),
  to: text.nullable(),
  currency: text.nullable(),
  statistics,
  parameters: z.record(text, text),
  differs: z.record(text, text.nullable()).describe('Settings that are not the same in all runs of its name'),
  hasPage: z.boolean().describe('It has a report, at /api/runs/{id}/page'),
  trouble: text.nullable().describe('The file of it that cannot be read, and why'),
});

export const Runs = z.object({ time, trouble, runs: z.array(Run).describe('The newest first') });
export const RunDetail = Run.extend({
  time,
  config: z.record(text, text).describe('Its settings by their paths, without secrets'),
  files: z.array(z.object({ name: text, bytes: z.number() })),
});
export type Run = z.output<typeof Run>;

const Study = z.object({
  id: text,
  folder: text,
  method: text.nullable(),
  objective: text.nullable(),
  trials: z.number().nullable(),
  best: z.object({ trial: z.number(), value: z.number(), params: z.record(text, text) }).nullable(),
  hasPage: z.boolean().describe('It has a page, at /api/studies/{id}/page'),
  trouble: text.nullable(),
});
export const Studies = z.object({ time, trouble, studies: z.array(Study) });
export const StudyDetail = Study.extend({
  time,
  top: z.array(z.unknown()).describe('The best trials, as `search show --json` prints them'),
});
export type Study = z.output<typeof Study>;

const SeriesOfData = z.object({
  symbol: text,
  kind: text,
  intervalMs: z.number().nullable(),
  rows: z.number().nullable(),
  from: time.nullable(),
  to: time.nullable(),
  bytes: z.number(),
  trouble: text.nullable(),
});
export const Data = z.object({
  time,
  trouble,
  recordings: z.array(z.object({ name: text, folder: text, series: z.array(SeriesOfData) })),
});
