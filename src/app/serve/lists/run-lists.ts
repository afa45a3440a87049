import { existsSync, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { Refusal } from '../access/guard.ts';
import type { Run, Study } from '../api/list-schemas.ts';
import type { Answer } from '../api/routes.ts';
import { idOfPath } from '../fleet/fleet-watch.ts';
import { ownProgram } from './own-program.ts';

/** A list is read again after this time, in ms. */
const EVERY_MS = 10_000;
/** The best trials of a study that are shown. */
const TOP = '20';
/** A longer page is not sent, in bytes. */
const MOST_PAGE = 128 * 1024 * 1024;

/** Reports are whole pages with scripts of their own. In this sandbox they have no origin, so that they reach neither the session nor the API. */
export const PAGE_POLICY =
  "sandbox allow-scripts allow-downloads; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const figure = z.union([z.number(), z.string(), z.null()]);
const RunJson = z.object({
  ...{ run: z.string(), name: z.string(), kind: z.enum(['backtest', 'paper', 'live']), state: z.string(), date: z.string() },
  ...{ from: z.string().nullable(), to: z.string().nullable(), currency: z.string().nullable(), trouble: z.string().optional() },
  parameters: z.record(z.string(), z.string()),
  differs: z.record(z.string(), z.string().nullable()),
  ...{ finalEquity: figure, totalReturn: figure, maxDrawdown: figure, sharpe: figure, trades: figure },
});
const RunsJson = z.object({ runs: z.array(RunJson) });
const ShownJson = z.object({ config: z.record(z.string(), z.string()).default({}) });
const StudiesJson = z.object({
  studies: z.array(
    z.object({
      study: z.string(),
      ...{ method: z.string().optional(), trials: z.number().optional(), objective: z.string().optional(), problem: z.string().optional() },
      best: z.object({ trial: z.number(), value: z.number(), params: z.record(z.string(), z.coerce.string()) }).optional(),
    }),
  ),
});
const TrialsJson = z.object({ trials: z.array(z.unknown()) });
const DataJson = z.object({
  recordings: z.array(
    z.object({
      ...{ name: z.string(), folder: z.string() },
      series: z.array(
        z.object({
          ...{
            symbol: z.string(),
            kind: z.string(),
            intervalMs: z.number().nullish(),
            rows: z.number().nullish(),
            bytes: z.number().nullish(),
          },
          ...{ from: z.string().nullish(), to: z.string().nullish(), problem: z.string().nullish() },
        }),
      ),
    }),
  ),
});

interface Listed<T> {
  readonly rows: T;
  readonly trouble: readonly string[];
}

/** The runs, studies and recordings below the folders of the bots, as the command line lists them. Nothing is changed. */
export class RunLists {
  readonly #bases: readonly string[];
  readonly #kept = new Map<string, { readonly time: number; readonly value: Promise<Listed<unknown>> }>();

  /** @param paths folders, and configs, whose folder and the one above it count. */
  constructor(
    paths: readonly string[],
    private readonly now: () => number,
  ) {
    const bases = paths.flatMap((path) =>
      statSync(path).isDirectory() ? [path] : [dirname(resolve(path)), dirname(dirname(resolve(path)))],
    );
    this.#bases = [...new Set(bases.map((path) => realpathSync(path)))];
  }

  async runs(): Promise<Answer<'runs'>> {
    const { rows, trouble } = await this.#list('runs', async (folder) =>
      RunsJson.parse(await ownProgram(['runs', 'list'], [folder])).runs.map(runOf),
    );
    return { time: this.now(), trouble: [...trouble], runs: rows.sort((a, b) => b.date - a.date) };
  }

  async run(id: string): Promise<Answer<'run'>> {
    const run = await this.#runOf(id);
    const { config } = ShownJson.parse(await ownProgram(['runs', 'show'], [run.folder]));
    const files = readdirSync(run.folder).flatMap((name) => {
      const found = lstatSync(join(run.folder, name));
      return found.isFile() ? [{ name, bytes: found.size }] : [];
    });
    return { ...run, time: this.now(), config, files };
  }

  async runPage(id: string): Promise<Buffer> {
    return pageOf((await this.#runOf(id)).folder, RUN_PAGE);
  }

  async studies(): Promise<Answer<'studies'>> {
    const list = async (folder: string) => StudiesJson.parse(await ownProgram(['search', 'list'], [folder])).studies.map(studyOf);
    const { rows, trouble } = await this.#list('studies', list);
    return { time: this.now(), trouble: [...trouble], studies: rows };
  }

  async study(id: string): Promise<Answer<'study'>> {
    const study = await this.#studyOf(id);
    const { trials } = TrialsJson.parse(await ownProgram(['search', 'show', '--top', TOP], [study.folder]));
    return { ...study, time: this.now(), top: trials };
  }

  async studyPage(id: string): Promise<Buffer> {
    return pageOf((await this.#studyOf(id)).folder, STUDY_PAGE);
  }

  async data(): Promise<Answer<'data'>> {
    const list = async (folder: string) => DataJson.parse(await ownProgram(['data', 'list', '--data-dir', folder], [])).recordings;
    const { rows, trouble } = await this.#list('data', list);
    const recordings = rows.map(({ name, folder, series }) => ({
      ...{ name, folder },
      series: series.map(({ symbol, kind, intervalMs, rows: count, bytes, from, to, problem }) => ({
        ...{ symbol, kind, intervalMs: intervalMs ?? null, rows: count ?? null, bytes: bytes ?? 0, trouble: problem ?? null },
        ...{ from: timeOf(from), to: timeOf(to) },
      })),
    }));
    return { time: this.now(), trouble: [...trouble], recordings };
  }

  async #runOf(id: string): Promise<Run> {
    return found((await this.runs()).runs, id);
  }

  async #studyOf(id: string): Promise<Study> {
    return found((await this.studies()).studies, id);
  }

  /** The rows of all folders of this name below the bases, kept for a moment; one that cannot be read is named. */
  #list<T>(name: string, read: (folder: string) => Promise<T[]>): Promise<Listed<T[]>> {
    const kept = this.#kept.get(name);
    const age = this.now() - (kept?.time ?? Number.NaN);
    if (kept !== undefined && age >= 0 && age < EVERY_MS) return kept.value as Promise<Listed<T[]>>;
    const value = this.#read(name, read);
    this.#kept.set(name, { time: this.now(), value });
    return value;
  }

  async #read<T>(name: string, read: (folder: string) => Promise<T[]>): Promise<Listed<T[]>> {
    const folders = new Set(
      this.#bases
        .map((base) => join(base, name))
        .filter((folder) => existsSync(folder))
        .map((folder) => realpathSync(folder)),
    );
    const rows: T[] = [];
    const trouble: string[] = [];
    for (const folder of folders) {
      try {
        rows.push(...(await read(folder)));
      } catch (error) {
        trouble.push(`${folder}: ${(error as Error).message}`);
      }
    }
    return { rows, trouble };
  }
}

const RUN_PAGE = 'report.html';
const STUDY_PAGE = 'study.html';

function found<T extends { readonly id: string }>(rows: readonly T[], id: string): T {
  const row = rows.find((one) => one.id === id);
  if (row === undefined) throw new Refusal(404, 'NOT_FOUND', 'there is none of this id');
  return row;
}

/** A page by its fixed name in a folder of the list: no part of a request is in the path, and a link is not followed. */
async function pageOf(folder: string, name: string): Promise<Buffer> {
  const path = join(folder, name);
  const file = lstatSync(path, { throwIfNoEntry: false });
  if (file?.isFile() !== true || file.size > MOST_PAGE) throw new Refusal(404, 'NOT_FOUND', `there is no ${name}`);
  return readFile(path);
}

function runOf({
  run,
  state,
  date,
  trouble,
  finalEquity,
  totalReturn,
  maxDrawdown,
  sharpe,
  trades,
  ...same
}: z.output<typeof RunJson>): Run {
  return {
    ...{ id: idOfPath(run), folder: run, ...same, state: state as Run['state'], date: Date.parse(date), trouble: trouble ?? null },
    statistics: { finalEquity, totalReturn, maxDrawdown, sharpe, trades },
    hasPage: isFile(join(run, RUN_PAGE)),
  };
}

function studyOf({ study, method, trials, objective, problem, best }: z.output<typeof StudiesJson>['studies'][number]): Study {
  return {
    ...{ id: idOfPath(study), folder: study, method: method ?? null, objective: objective ?? null, trials: trials ?? null },
    ...{ best: best ?? null, hasPage: isFile(join(study, STUDY_PAGE)), trouble: problem ?? null },
  };
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function timeOf(iso: string | null | undefined): number | null {
  return iso === null || iso === undefined ? null : Date.parse(iso);
}
